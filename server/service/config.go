package service

import (
	"bytes"
	"io"
	"log/slog"
	"math"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"solved/api"
	"solved/api/httpapi"
	"solved/server/flags"
	"solved/server/listener"
	"solved/server/tables"
	"solved/tablebase"
)

// Config holds the settings of the server.
type Config struct {
	Listen    string
	opsListen string
	Tables    []string
	TablesDir string
	TableMode tablebase.Mode
	TablePoll time.Duration
	AnyDigest bool // accept table files that are not the right ones

	ReadHeaderTimeout time.Duration
	ReadTimeout       time.Duration
	WriteTimeout      time.Duration
	IdleTimeout       time.Duration
	shutdownDelay     time.Duration
	ShutdownTimeout   time.Duration

	MaxHeaderBytes int
	MaxConnections int
	MaxPerClient   int
	maxInFlight    int
	answerMemory   int
	RateLimit      int
	RateBurst      int
	Proxies        listener.Proxies
	origins        []string

	LogFormat  string
	LogLevel   string
	Collector  string
	TraceShare float64

	Collect bool // call SetGCPercent: the operator has not set GOGC
}

// defaultListen accepts connections from this machine only. The operator may choose another.
const defaultListen = "127.0.0.1:8080"

// LeastTimeout is the least value of a timeout. Zero would mean no timeout.
const LeastTimeout = time.Millisecond

// maxRate is the greatest rate that can be set.
const maxRate = 1_000_000_000

// Flags declares a flag for each setting, and sets the defaults. Package flags gives each of them
// an environment variable.
func (c *Config) Flags(f *pflag.FlagSet) {
	f.Var(flags.NewValue(&c.Listen, defaultListen, "address", flags.ParseAddress), "listen",
		"address to listen on; :8080 is every interface of this machine")
	f.Var(flags.NewValue(&c.opsListen, "", "address", flags.Optional(flags.ParseAddress)), "ops-listen",
		"address to listen on for /livez, /readyz and /metrics beside the others; /metrics is then answered there only; empty for none")
	f.Var(flags.NewList(&c.Tables, nil, "file", flags.ParseText, filepath.SplitList), "table",
		"serve a ruleset from this table file instead of the embedded table; repeatable")
	f.Var(flags.NewValue(&c.TablesDir, "", "directory", flags.ParseAny), "tables",
		"serve each ruleset from its table file in this directory, RULES.ttb or RULES.prob, and make those that are missing in the background; empty for none")
	f.Var(flags.NewValue(&c.TableMode, tablebase.Mapped, "mode", flags.OneOf(tablebase.Mapped, tablebase.Memory)), "table-mode",
		"how to hold table files: mmap or memory")
	f.Var(flags.NewValue(&c.TablePoll, 2*time.Second, "duration", flags.ParseDuration(0)), "table-poll",
		"how often to look whether a table file has been replaced; 0 is only on SIGHUP")
	f.BoolVar(&c.AnyDigest, "any-digest", false, tables.AnyDigestUsage)

	f.Var(flags.NewValue(&c.ReadHeaderTimeout, 5*time.Second, "duration", flags.ParseDuration(LeastTimeout)), "read-header-timeout",
		"how long a client may take to send a request's header")
	f.Var(flags.NewValue(&c.ReadTimeout, 10*time.Second, "duration", flags.ParseDuration(LeastTimeout)), "read-timeout",
		"how long a client may take to send a request")
	f.Var(flags.NewValue(&c.WriteTimeout, 30*time.Second, "duration", flags.ParseDuration(LeastTimeout)), "write-timeout",
		"how long answering may take, from the end of the request's header")
	f.Var(flags.NewValue(&c.IdleTimeout, 2*time.Minute, "duration", flags.ParseDuration(LeastTimeout)), "idle-timeout",
		"how long a connection may wait for its next request")
	f.Var(flags.NewValue(&c.shutdownDelay, 0, "duration", flags.ParseDuration(0)), "shutdown-delay",
		"how long to go on serving, not ready, before taking no new connections")
	f.Var(flags.NewValue(&c.ShutdownTimeout, 30*time.Second, "duration", flags.ParseDuration(LeastTimeout)), "shutdown-timeout",
		"how long requests in flight may take to end when shutting down")

	// The header contains the request's target, which has a limit of its own.
	f.Var(flags.NewValue(&c.MaxHeaderBytes, 64<<10, "bytes", flags.ParseInt(2*api.MaxURI, 16<<20)), "max-header-bytes",
		"how long a request's header may be")
	f.Var(flags.NewValue(&c.MaxConnections, 16384, "number", flags.ParseInt(0, math.MaxInt32)), "max-connections",
		"how many connections to hold at a time, 0 for any number; beyond, those are closed that wait for a request, or else new ones wait")
	f.Var(flags.NewValue(&c.MaxPerClient, 1024, "number", flags.ParseInt(0, math.MaxInt32)), "max-connections-per-client",
		"how many connections a client may hold at a time, 0 for any number; those of --trusted-proxy have no such bound")
	f.Var(flags.NewValue(&c.maxInFlight, 1024, "number", flags.ParseInt(0, math.MaxInt32)), "max-in-flight",
		"how many questions to answer at a time, 0 for any number; further ones wait for a second, and are then refused")
	f.Var(flags.NewValue(&c.answerMemory, httpapi.DefaultMemory, "bytes", flags.ParseInt(httpapi.MinMemory, math.MaxInt32)), "answer-memory",
		"how much memory large bodies and answers, and working them out, may take at a time; what does not fit is refused")
	f.Var(flags.NewValue(&c.RateLimit, 0, "number", flags.ParseInt(0, maxRate)), "rate-limit",
		"how many positions, or as much other work, a client may ask for each second, 0 for any number")
	f.Var(flags.NewValue(&c.RateBurst, 10_000, "number", flags.ParseInt(api.MaxBatch, maxRate)), "rate-burst",
		"how many positions a client that has not asked for a while may ask for at once")
	f.Var(flags.NewList((*[]netip.Prefix)(&c.Proxies), nil, "network", flags.ParseNetwork, flags.SplitCommas), "trusted-proxy",
		"network of proxies whose X-Forwarded-For is believed; repeatable")
	f.Var(flags.NewList(&c.origins, []string{"*"}, "origin", flags.ParseOrigin, flags.SplitCommas), "cors-origin",
		"origin whose pages may ask, * for any; repeatable")

	f.Var(flags.NewValue(&c.LogFormat, "text", "format", flags.OneOf("text", "json")), "log-format", "text or json")
	f.Var(flags.NewValue(&c.LogLevel, "info", "level", level), "log-level", "least level to log: debug, info, warn or error")
	f.Var(flags.NewValue(&c.Collector, "", "url", flags.ParseEndpoint), "otlp-endpoint",
		"OpenTelemetry collector to send traces to by OTLP over HTTP; empty for no traces")
	f.Var(flags.NewValue(&c.TraceShare, 0.01, "share", flags.ParseRatio), "trace-ratio",
		"share of the requests to trace, from 0 to 1, where the caller has not decided")
}

// level parses the name of a log level, in either case.
func level(s string) (string, error) {
	return flags.OneOf("debug", "info", "warn", "error")(strings.ToLower(s))
}

// DroppedLines returns the log line that reports a number of dropped lines.
func (c *Config) DroppedLines(lines int) []byte {
	var b bytes.Buffer
	c.NewLogger(&b).Warn("lines of the log were dropped: its reader did not keep up", "lines", lines)
	return b.Bytes()
}

// NewLogger returns a logger with the configured format and level.
func (c *Config) NewLogger(w io.Writer) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(c.LogLevel)); err != nil {
		panic(err) // slog knows every name that level lets pass
	}
	options := &slog.HandlerOptions{Level: least}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
