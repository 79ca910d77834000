package main

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"solved/server/cli"
	"solved/server/flags"
	"solved/server/service"
)

// configured parses a command line and an environment as serve does.
func configured(args, environ []string) (service.Config, flags.Sources, *pflag.FlagSet, error) {
	var c service.Config
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	c.Flags(f)
	if err := f.Parse(args); err != nil {
		return c, nil, f, err
	}
	from, err := flags.Bind(f, environ)
	return c, from, f, err
}

// TestConfigurationOrder checks that flags win over the environment, that it
// wins over the defaults, and that each is told.
func TestConfigurationOrder(t *testing.T) {
	c, from, f, err := configured(
		[]string{"--listen", ":1", "--table", "a:b", "--table=c"},
		[]string{"PATH=/bin", "SOLVED_LISTEN=:2", "SOLVED_TABLE=x", "SOLVED_READ_TIMEOUT=7s", "SOLVED_IDLE_TIMEOUT="})
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":1" || from["listen"] != flags.FromFlag {
		t.Errorf("listen is %q, from %s", c.Listen, from["listen"])
	}
	if !slices.Equal(c.Tables, []string{"a:b", "c"}) {
		t.Errorf("tables are %q", c.Tables)
	}
	if c.ReadTimeout.String() != "7s" || from["read-timeout"] != flags.FromEnvironment {
		t.Errorf("read-timeout is %v, from %s", c.ReadTimeout, from["read-timeout"])
	}
	if c.IdleTimeout != standard().IdleTimeout || from["idle-timeout"] != flags.FromDefault {
		t.Errorf("idle-timeout is %v, from %s: an empty variable counts", c.IdleTimeout, from["idle-timeout"])
	}

	var log bytes.Buffer
	c.LogFormat = "json"
	c.NewLogger(&log).LogAttrs(t.Context(), 0, "configuration", flags.Attrs(f, from)...)
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, source := range []string{flags.FromFlag, flags.FromEnvironment, flags.FromDefault} {
		n += len(line[source].(map[string]any))
	}
	f.VisitAll(func(*pflag.Flag) { n-- })
	if n != 0 || line[flags.FromFlag].(map[string]any)["table"] != "a:b,c" {
		t.Errorf("%d settings too many: %s", n, &log)
	}
}

// TestVariables gives every flag a value that is not its default through the
// environment. A flag without one here fails.
func TestVariables(t *testing.T) {
	values := map[string]string{
		"listen": "127.0.0.1:9", "ops-listen": "127.0.0.1:10", "max-connections-per-client": "0", "tables": "tables", "table": "a.ttb" + string(os.PathListSeparator) + "b.ttb", "table-mode": "memory", "table-poll": "0s",
		"read-header-timeout": "1s", "read-timeout": "2s", "write-timeout": "3s", "idle-timeout": "4s",
		"shutdown-delay": "5s", "shutdown-timeout": "6s", "max-header-bytes": "70000", "max-connections": "0", "max-in-flight": "0",
		"rate-limit": "500", "rate-burst": "1000", "trusted-proxy": "10.0.0.0/8,fd00::/8",
		"cors-origin": "https://a.example, https://b.example",
		"log-format":  "json", "log-level": "WARN",
		"answer-memory": "268435456",
		"any-digest":    "true",
		"otlp-endpoint": "http://localhost:4318", "trace-ratio": "0.5",
	}
	shown := map[string]string{"table": "a.ttb,b.ttb", "log-level": "warn", "cors-origin": "https://a.example,https://b.example"}
	var environ []string
	for name, text := range values {
		environ = append(environ, flags.Variable(name)+"="+text)
	}
	_, from, f, err := configured(nil, environ)
	if err != nil {
		t.Fatal(err)
	}
	f.VisitAll(func(flag *pflag.Flag) {
		want := values[flag.Name]
		if shown[flag.Name] != "" {
			want = shown[flag.Name]
		}
		if got := flag.Value.String(); got != want || got == flag.DefValue || from[flag.Name] != flags.FromEnvironment {
			t.Errorf("--%s is %q from the %s, want %q from the environment", flag.Name, got, from[flag.Name], want)
		}
	})
	if len(from) != len(values) {
		t.Errorf("%d flags, tested %d", len(from), len(values))
	}
}

// TestWrongConfiguration checks that what is wrong is refused with its name.
func TestWrongConfiguration(t *testing.T) {
	for _, c := range []struct{ args, environ, want string }{
		{"", "SOLVED_LISTN=:1", "unknown environment variable SOLVED_LISTN; did you mean SOLVED_LISTEN?"},
		{"--listen=:2", "SOLVED_LISTEN_=:1", "did you mean SOLVED_LISTEN?"},
		{"", "SOLVED_TABEL=x", "did you mean SOLVED_TABLE?"},
		{"", "SOLVED_ANYTHING_ELSE_AT_ALL=1", "unknown environment variable SOLVED_ANYTHING_ELSE_AT_ALL; 'solved serve --help' lists"},
		{"", "SOLVED_=1", "unknown environment variable SOLVED_;"},
		{"", "SOLVED_HELP=true", "unknown environment variable SOLVED_HELP"},
		{"", "SOLVED_SERVICE_HOST=10.0.0.1", "set enableServiceLinks: false"},
		{"", "SOLVED_LISTN= SOLVED_READ_TIMEOUT=ten", "SOLVED_LISTEN?; invalid value \"ten\" of SOLVED_READ_TIMEOUT: it is a duration"},
		{"", "SOLVED_TABLE=a::b", "invalid value \"a::b\" of SOLVED_TABLE: it must not be empty"},
		{"", "SOLVED_READ_TIMEOUT=0s", "of SOLVED_READ_TIMEOUT: it is a duration such as 1m30s, at least 1ms"},
		{"--idle-timeout=-1s", "", `invalid argument "-1s" for "--idle-timeout" flag: it is a duration`},
		{"--shutdown-delay=-1s", "", "at least 0s"},
		{"--max-header-bytes=16384", "", "it is a whole number from 32768 to 16777216"},
		{"--max-connections=-1", "", "it is a whole number from 0"},
		{"", "SOLVED_TABLE_MODE=both", `invalid value "both" of SOLVED_TABLE_MODE: it is mmap or memory`},
		{"", "SOLVED_LOG_LEVEL=loud", "it is debug, info, warn or error"},
		{"--max-in-flight=many", "", "it is a whole number from 0"},
		{"--rate-limit=-1", "", "it is a whole number from 0"},
		{"--rate-burst=999", "", "it is a whole number from 1000"},
		{"", "SOLVED_TRUSTED_PROXY=10.0.0.0/8,nonsense", "of SOLVED_TRUSTED_PROXY: it is a network such as"},
		{"--cors-origin=example.org", "", "it is * or an origin such as https://example.org"},
		{"", "SOLVED_CORS_ORIGIN=https://a.example,", "of SOLVED_CORS_ORIGIN: it is * or an origin"},
		{"--cors-origin=https://*.example.com", "", "an origin is not a pattern: it is * alone, for any, or the whole origin such as https://example.org"},
		{"", "SOLVED_CORS_ORIGIN=https://a.example,http://b*", "of SOLVED_CORS_ORIGIN: an origin is not a pattern"},
		{"--cors-origin=https://a.example:443", "", "a browser leaves the default port out: it is https://a.example"},
		{"--otlp-endpoint=localhost:4318", "", "it is an address such as http://localhost:4318"},
		{"", "SOLVED_TRACE_RATIO=2", "of SOLVED_TRACE_RATIO: it is a number from 0 to 1"},
		{"--listen=", "", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=8080", "of SOLVED_LISTEN: it is an address to listen on such as :8080"},
		{"", "SOLVED_LISTEN=127.0.0.1", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=127.0.0.1:", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=127.0.0.1:65536", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=127.0.0.256:80", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=::1:80", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=http://localhost:80", "it is an address to listen on"},
		{"", "SOLVED_LISTEN=:-1", "it is an address to listen on"},
		{"--otlp-endpoint=http://localhost:99999", "", "it is an address such as http://localhost:4318"},
	} {
		var out, errs bytes.Buffer
		for _, command := range []string{"", "serve "} {
			errs.Reset()
			code := cli.Run(t.Context(), allGames(), strings.Fields(command+c.args), strings.Fields(c.environ), strings.NewReader(""), &out, &errs)
			if code != cli.ExitUsage || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 2 {
				t.Errorf("solved %s%s with %s: exit code %d, %q; want %q", command, c.args, c.environ, code, &errs, c.want)
			}
		}
	}
	if _, _, _, err := configured(nil, []string{"SOLVED=1", "solved_listen=x", "MY_SOLVED_X=1"}); err != nil {
		t.Errorf("refused what is not ours: %v", err)
	}
}

// TestValues checks the kinds of values, right and wrong ones.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		flag interface {
			Set(string) error
			String() string
		}
		good  map[string]string // as shown
		wrong []string
	}{
		{flags.NewValue(new(string), "", "", flags.ParseOrigin),
			map[string]string{"*": "*", "https://example.org": "https://example.org", "http://localhost:3000": "http://localhost:3000",
				"https://Example.ORG:8443": "https://example.org:8443", "http://[::1]:3000": "http://[::1]:3000", "https://a.example:80": "https://a.example:80"},
			[]string{"https://*.example.com", "https://*", "http://exa*mple.org", "https://example.org:*", "https://**", "**", "https://bücher.example",
				"https://example.org:443", "http://example.org:80", "https://example.org:", "", "example.org", "https://example.org/", "https://example.org/x", "ftp://example.org", "https://", "https://u@example.org", "null"}},
		{flags.NewValue(new(netip.Prefix), netip.Prefix{}, "", flags.ParseNetwork),
			map[string]string{"10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "fd12::1/8": "fd00::/8", "::1": "::1/128", "::ffff:10.0.0.1": "10.0.0.1/32"},
			[]string{"", "10.0.0.0/33", "10.0.0/8", "fe80::1%eth0", "::ffff:10.0.0.0/104", "localhost", "10.0.0.1:80"}},
		{flags.NewValue(new(string), "", "", flags.ParseEndpoint),
			map[string]string{"": "", "http://localhost:4318": "http://localhost:4318", "https://otel.example/x/v1/traces": "https://otel.example/x/v1/traces"},
			[]string{"localhost:4318", "grpc://localhost:4317", "http://", "http://u:secret@example.org", "http://example.org?x=1", "http://example.org/#x"}},
		{flags.NewValue(new(float64), 0, "", flags.ParseRatio),
			map[string]string{"0": "0", "1": "1", "0.25": "0.25"}, []string{"", "-0.1", "1.1", "NaN", "x"}},
		{flags.NewValue(new(int), 0, "", flags.ParseInt(2, 4)),
			map[string]string{"2": "2", "4": "4"}, []string{"", "1", "5", "3.0", "x", "9999999999999999999"}},
		{flags.NewValue(new(time.Duration), 0, "", flags.ParseDuration(time.Second)),
			map[string]string{"1s": "1s", "2m": "2m0s"}, []string{"", "1", "999ms", "-2s", "soon"}},
	} {
		for text, shown := range c.good {
			if err := c.flag.Set(text); err != nil || c.flag.String() != shown {
				t.Errorf("%q is %s, %v; want %s", text, c.flag, err, shown)
			}
		}
		for _, text := range c.wrong {
			if err := c.flag.Set(text); err == nil {
				t.Errorf("%q is taken, as %s", text, c.flag)
			}
		}
	}
}

// TestOperatingFlags holds the table of flags in OPERATING.md against the program.
func TestOperatingFlags(t *testing.T) {
	document, err := os.ReadFile("../deploy/OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| `(SOLVED_[A-Z_]+)` \\| ([^|]*) \\| [^|]+ \\|$")
	var got, want []string
	for _, m := range row.FindAllStringSubmatch(string(document), -1) {
		got = append(got, m[1]+" "+m[2]+" "+strings.Trim(m[3], "`"))
	}
	var c service.Config
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	f.SortFlags = false
	c.Flags(f)
	f.VisitAll(func(flag *pflag.Flag) {
		want = append(want, flag.Name+" "+flags.Variable(flag.Name)+" "+flag.DefValue)
	})
	if !slices.Equal(got, want) {
		t.Errorf("OPERATING.md lists\n%s\nthe program has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSetGCPercent checks that the heap grows by as much before a collection whether
// little is in use or a table, and that a process with much more still collects.
func TestSetGCPercent(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, table := range []uint64{0, 400 << 20} {
		percent := service.GCPercent(table)
		if room := uint64(percent) * max(table, service.GCHeadroom/4) / 100; room < service.GCHeadroom*9/10 || room > service.GCHeadroom {
			t.Errorf("with %d bytes in use, the heap is collected at %d %%", table, percent)
		}
		held := make([]byte, table)
		service.SetGCPercent()
		if set := debug.SetGCPercent(100); set > percent || set < percent/4 {
			t.Errorf("with %d bytes in use and some others, %d %% is set", table, set)
		}
		runtime.KeepAlive(held)
	}
	if percent := service.GCPercent(8 << 30); percent < 1 {
		t.Errorf("with a great table in use, the heap is collected at %d %%", percent)
	}
}
