package flags

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// value is the value of a flag. It is parsed and checked when it is set, so that
// a wrong one is told with where it came from. It is a pflag.Value.
type value[T any] struct {
	at    *T
	kind  string // as the help names it
	parse func(string) (T, error)
}

// NewValue puts a default where the flag's value goes.
func NewValue[T any](at *T, standard T, kind string, parse func(string) (T, error)) *value[T] {
	*at = standard
	return &value[T]{at, kind, parse}
}

func (v *value[T]) Type() string   { return v.kind }
func (v *value[T]) String() string { return fmt.Sprint(*v.at) }

func (v *value[T]) Set(s string) error {
	parsed, err := v.parse(s)
	if err != nil {
		return err
	}
	*v.at = parsed
	return nil
}

// list is the value of a flag that may be repeated. The first time replaces the
// default, the others add to it.
type list[T any] struct {
	at    *[]T
	kind  string
	parse func(string) (T, error)
	split func(string) []string // how one environment variable holds several
	set   bool
}

func NewList[T any](at *[]T, standard []T, kind string, parse func(string) (T, error), split func(string) []string) *list[T] {
	*at = slices.Clone(standard)
	return &list[T]{at: at, kind: kind, parse: parse, split: split}
}

func (l *list[T]) Type() string { return l.kind }

func (l *list[T]) String() string {
	texts := make([]string, len(*l.at))
	for i, v := range *l.at {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ",")
}

func (l *list[T]) Set(s string) error {
	parsed, err := l.parse(s)
	if err != nil {
		return err
	}
	if !l.set {
		*l.at, l.set = nil, true
	}
	*l.at = append(*l.at, parsed)
	return nil
}

// SetAll sets the whole list from the value of an environment variable.
func (l *list[T]) SetAll(s string) error {
	for _, part := range l.split(s) {
		if err := l.Set(part); err != nil {
			return err
		}
	}
	return nil
}

// SplitCommas splits a list in which commas separate, with or without spaces.
func SplitCommas(s string) []string {
	parts := strings.Split(s, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return parts
}

// OneOf parses a choice.
func OneOf[T any](choices ...T) func(string) (T, error) {
	return func(s string) (T, error) {
		var none T
		texts := make([]string, len(choices))
		for i, choice := range choices {
			if texts[i] = fmt.Sprint(choice); texts[i] == s {
				return choice, nil
			}
		}
		last := len(texts) - 1
		return none, fmt.Errorf("it is %s or %s", strings.Join(texts[:last], ", "), texts[last])
	}
}

// ParseInt parses a whole number within bounds.
func ParseInt(least, most int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("it is a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// ParseDuration parses a duration that is not less than a least one.
func ParseDuration(least time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < least {
			return 0, fmt.Errorf("it is a duration such as 1m30s, at least %v", least)
		}
		return d, nil
	}
}

// ParseText parses any text but the empty one.
func ParseText(s string) (string, error) {
	if s == "" {
		return "", errors.New("it must not be empty")
	}
	return s, nil
}

// ParseAny parses any text.
func ParseAny(s string) (string, error) { return s, nil }

// ParseOrigin parses an origin, and returns it in lower case, as a browser sends it; or the
// star for any.
func ParseOrigin(s string) (string, error) {
	if s == "*" {
		return s, nil
	}
	s = strings.ToLower(s)
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || s != u.Scheme+"://"+u.Host || u.Hostname() == "":
		return "", errors.New("it is * or an origin such as https://example.org")
	case strings.Contains(s, "*"):
		return "", errors.New("an origin is not a pattern: it is * alone, for any, or the whole origin such as https://example.org")
	case strings.ContainsFunc(s, func(c rune) bool { return c > unicode.MaxASCII }):
		return "", errors.New("a browser writes this host in ASCII: it is an origin such as https://xn--bcher-kva.example")
	case u.Scheme == "http" && u.Port() == "80", u.Scheme == "https" && u.Port() == "443", strings.HasSuffix(u.Host, ":"):
		return "", fmt.Errorf("a browser leaves the default port out: it is %s://%s", u.Scheme, strings.TrimSuffix(u.Host, ":"+u.Port()))
	}
	return s, nil
}

// ParseNetwork parses the addresses of a network, or a single one.
func ParseNetwork(s string) (netip.Prefix, error) {
	wrong := errors.New("it is a network such as 10.0.0.0/8 or fd00::/8, or one address")
	if !strings.Contains(s, "/") {
		address, err := netip.ParseAddr(s)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, wrong
		}
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil || prefix.Addr().Is4In6() {
		return netip.Prefix{}, wrong
	}
	return prefix.Masked(), nil
}

// ParseRatio parses a number from 0 to 1.
func ParseRatio(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
		return 0, errors.New("it is a number from 0 to 1")
	}
	return x, nil
}

// Optional parses a text that may be empty.
func Optional(parse func(string) (string, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		if s == "" {
			return "", nil
		}
		return parse(s)
	}
}

// ParseEndpoint parses the address of a collector, or nothing.
func ParseEndpoint(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !isPort(u.Port(), 1) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("it is an address such as http://localhost:4318")
	}
	return s, nil
}

// ParseAddress parses an address to listen on: HOST:PORT, of which HOST may be empty for
// all addresses of the machine.
func ParseAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil || !isPort(port, 0) || port == "" || !isHost(host) {
		return "", errors.New("it is an address to listen on such as :8080, 127.0.0.1:8080 or [::1]:8080")
	}
	return s, nil
}

// isPort says whether a text is the number of a port, from least on, or empty.
func isPort(s string, least uint64) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n >= least
}

// isHost says whether a text is an IP address or can be the name of a host; empty is
// both.
func isHost(s string) bool {
	if s == "" {
		return true
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	// What looks like an IPv4 address and is none is not a name, either.
	return strings.Trim(s, "0123456789.") != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_'
	})
}
