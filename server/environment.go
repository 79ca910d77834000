package main

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

// variable is the name of the environment variable of a flag.
func variable(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// The places a flag's value can come from.
const (
	fromFlag        = "flag"
	fromEnvironment = "environment"
	fromDefault     = "default"
)

// sources says for each flag, by name, where its value came from.
type sources map[string]string

// bind gives the flags that are not on the command line the values of their
// environment variables. An empty variable is as good as none. A variable that
// begins as ours do but belongs to no flag is refused: misspelt, it would
// otherwise quietly mean the default.
func bind(f *pflag.FlagSet, environ []string) (sources, error) {
	flags := make(map[string]*pflag.Flag) // by variable
	from := make(sources)
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || flag.Name == "version" {
			return
		}
		flags[variable(flag.Name)] = flag
		from[flag.Name] = fromDefault
		if flag.Changed {
			from[flag.Name] = fromFlag
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
		from[flag.Name] = fromEnvironment
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

// effective is every flag's value, grouped by where it came from.
func effective(f *pflag.FlagSet, from sources) []slog.Attr {
	groups := make(map[string][]any)
	f.VisitAll(func(flag *pflag.Flag) {
		if source, ok := from[flag.Name]; ok {
			groups[source] = append(groups[source], slog.String(flag.Name, flag.Value.String()))
		}
	})
	var all []slog.Attr
	for _, source := range []string{fromFlag, fromEnvironment, fromDefault} {
		all = append(all, slog.Group(source, groups[source]...))
	}
	return all
}
