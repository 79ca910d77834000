package api

import (
	"net/url"
	"slices"
	"strings"
)

// Values are those of a query's parameters, in the order of the names that it
// was parsed with; nil means absent, which is not the same as empty.
type Values []*string

// ParseQuery reads a raw query strictly: a parameter that is unknown or that
// comes twice is refused, so that a misspelt name never quietly gives the
// answer to another question.
func ParseQuery(raw string, names []string) (Values, error) {
	query := make(Values, len(names))
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		if err != nil {
			return nil, BadParameterProblem(rawName, "The name of a parameter has a broken percent escape.")
		}
		i := slices.Index(names, name)
		switch {
		case i < 0 && len(names) == 0:
			return nil, BadParameterProblem(name, "There is no parameter \"%s\"; this address takes none.", name)
		case i < 0:
			return nil, BadParameterProblem(name, "There is no parameter \"%s\"; known are: %s.", name, strings.Join(names, ", "))
		case query[i] != nil:
			return nil, BadParameterProblem(name, "The parameter \"%s\" is given more than once.", name)
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return nil, BadParameterProblem(name, "The value of the parameter \"%s\" has a broken percent escape.", name)
		}
		query[i] = &value
	}
	return query, nil
}
