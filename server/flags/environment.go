package flags

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/pflag"
)

// variablePrefix begins the names of all environment variables that are ours.
const variablePrefix = "SOLVED_"

// Variable is the name of the environment variable of a flag.
func Variable(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// The places a flag's value can come from.
const (
	FromFlag        = "flag"
	FromEnvironment = "environment"
	FromDefault     = "default"
)

// Sources says for each flag, by name, where its value came from.
type Sources map[string]string

// Bind gives the flags that are not on the command line the values of their
// environment variables. An empty variable is as good as none. A variable that
// begins as ours do but belongs to no flag is refused: misspelt, it would
// otherwise quietly mean the default.
func Bind(f *pflag.FlagSet, environ []string) (Sources, error) {
	flags := make(map[string]*pflag.Flag) // by variable
	from := make(Sources)
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || flag.Name == "version" {
			return
		}
		flags[Variable(flag.Name)] = flag
		from[flag.Name] = FromDefault
		if flag.Changed {
			from[flag.Name] = FromFlag
		}
	})
	var wrong []error
	for _, assignment := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(assignment, "=")
		if !strings.HasPrefix(name, variablePrefix) {
			continue
		}
		flag := flags[name]
		if flag == nil {
			wrong = append(wrong, unknownVariable(name, flags))
			continue
		}
		if text == "" || flag.Changed {
			continue
		}
		set := flag.Value.Set
		if several, ok := flag.Value.(interface{ SetAll(string) error }); ok {
			set = several.SetAll
		}
		if err := set(text); err != nil {
			wrong = append(wrong, fmt.Errorf("invalid value %q of %s: %w", text, name, err))
		}
		from[flag.Name] = FromEnvironment
	}
	return from, errors.Join(wrong...)
}

// unknownVariable refuses a variable, with the one that may be meant.
func unknownVariable(name string, flags map[string]*pflag.Flag) error {
	if name == variablePrefix+"SERVICE_HOST" {
		return fmt.Errorf("unknown environment variable %s; Kubernetes sets it for a service named solved: set enableServiceLinks: false", name)
	}
	best, least := "", len(name)/3+1 // further away is no misspelling
	for known := range flags {
		distance := levenshtein.ComputeDistance(name, known)
		if distance < least || distance == least && known < best {
			best, least = known, distance
		}
	}
	if best == "" {
		return fmt.Errorf("unknown environment variable %s; 'solved serve --help' lists the flags, of which each has one", name)
	}
	return fmt.Errorf("unknown environment variable %s; did you mean %s?", name, best)
}

// Attrs is every flag's value, grouped by where it came from.
func Attrs(f *pflag.FlagSet, from Sources) []slog.Attr {
	groups := make(map[string][]any)
	f.VisitAll(func(flag *pflag.Flag) {
		if source, ok := from[flag.Name]; ok {
			groups[source] = append(groups[source], slog.String(flag.Name, flag.Value.String()))
		}
	})
	var all []slog.Attr
	for _, source := range []string{FromFlag, FromEnvironment, FromDefault} {
		all = append(all, slog.Group(source, groups[source]...))
	}
	return all
}

// UsageError is an error in the command line itself.
type UsageError struct {
	Err     error
	Command string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }
