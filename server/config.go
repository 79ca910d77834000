package main

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
	"solved/tablebase"
)

// config is how to serve.
type config struct {
	listen    string
	opsListen string
	tables    []string
	tablesDir string
	tableMode tablebase.Mode
	tablePoll time.Duration
	anyDigest bool // of a table file

	readHeaderTimeout time.Duration
	readTimeout       time.Duration
	writeTimeout      time.Duration
	idleTimeout       time.Duration
	shutdownDelay     time.Duration
	shutdownTimeout   time.Duration

	maxHeaderBytes int
	maxConnections int
	maxPerClient   int
	maxInFlight    int
	answerMemory   int
	rateLimit      int
	rateBurst      int
	proxies        proxies
	origins        []string

	logFormat  string
	logLevel   string
	collector  string
	traceShare float64

	collect bool // the heap by litter, since nobody has said otherwise by GOGC
}

// defaultListen is reached from this machine only: the operator decides whether others reach it.
const defaultListen = "127.0.0.1:8080"

// leastTimeout is for those that must not be zero, as that would be no timeout.
const leastTimeout = time.Millisecond

// maxRate is the greatest rate that can be set.
const maxRate = 1_000_000_000

// flags declares a flag for each setting, and sets the defaults. Every flag has
// an environment variable as well: see bind.
func (c *config) flags(f *pflag.FlagSet) {
	f.Var(newValue(&c.listen, defaultListen, "address", address), "listen",
		"address to listen on; :8080 is every interface of this machine")
	f.Var(newValue(&c.opsListen, "", "address", optional(address)), "ops-listen",
		"address to listen on for /livez, /readyz and /metrics beside the others; /metrics is then answered there only; empty for none")
	f.Var(newList(&c.tables, nil, "file", text, filepath.SplitList), "table",
		"serve a ruleset from this table file instead of the embedded table; repeatable")
	f.Var(newValue(&c.tablesDir, "", "directory", anyText), "tables",
		"serve each ruleset from its table file in this directory, RULES.ttb or RULES.prob, and make those that are missing in the background; empty for none")
	f.Var(newValue(&c.tableMode, tablebase.Mapped, "mode", oneOf(tablebase.Mapped, tablebase.Memory)), "table-mode",
		"how to hold table files: mmap or memory")
	f.Var(newValue(&c.tablePoll, 2*time.Second, "duration", duration(0)), "table-poll",
		"how often to look whether a table file has been replaced; 0 is only on SIGHUP")
	f.BoolVar(&c.anyDigest, "any-digest", false, anyDigestUsage)

	f.Var(newValue(&c.readHeaderTimeout, 5*time.Second, "duration", duration(leastTimeout)), "read-header-timeout",
		"how long a client may take to send a request's header")
	f.Var(newValue(&c.readTimeout, 10*time.Second, "duration", duration(leastTimeout)), "read-timeout",
		"how long a client may take to send a request")
	f.Var(newValue(&c.writeTimeout, 30*time.Second, "duration", duration(leastTimeout)), "write-timeout",
		"how long answering may take, from the end of the request's header")
	f.Var(newValue(&c.idleTimeout, 2*time.Minute, "duration", duration(leastTimeout)), "idle-timeout",
		"how long a connection may wait for its next request")
	f.Var(newValue(&c.shutdownDelay, 0, "duration", duration(0)), "shutdown-delay",
		"how long to go on serving, not ready, before taking no new connections")
	f.Var(newValue(&c.shutdownTimeout, 30*time.Second, "duration", duration(leastTimeout)), "shutdown-timeout",
		"how long requests in flight may take to end when shutting down")

	// A request's target is within the header, and has a limit and an answer of its own.
	f.Var(newValue(&c.maxHeaderBytes, 64<<10, "bytes", whole(2*api.MaxURI, 16<<20)), "max-header-bytes",
		"how long a request's header may be")
	f.Var(newValue(&c.maxConnections, 16384, "number", whole(0, math.MaxInt32)), "max-connections",
		"how many connections to hold at a time, 0 for any number; beyond, those are closed that wait for a request, or else new ones wait")
	f.Var(newValue(&c.maxPerClient, 1024, "number", whole(0, math.MaxInt32)), "max-connections-per-client",
		"how many connections a client may hold at a time, 0 for any number; those of --trusted-proxy have no such bound")
	f.Var(newValue(&c.maxInFlight, 1024, "number", whole(0, math.MaxInt32)), "max-in-flight",
		"how many questions to answer at a time, 0 for any number; further ones wait for a second, and are then refused")
	f.Var(newValue(&c.answerMemory, httpapi.DefaultMemory, "bytes", whole(httpapi.MinMemory, math.MaxInt32)), "answer-memory",
		"how much memory large bodies and answers, and working them out, may take at a time; what does not fit is refused")
	f.Var(newValue(&c.rateLimit, 0, "number", whole(0, maxRate)), "rate-limit",
		"how many positions, or as much other work, a client may ask for each second, 0 for any number")
	f.Var(newValue(&c.rateBurst, 10_000, "number", whole(api.MaxBatch, maxRate)), "rate-burst",
		"how many positions a client that has not asked for a while may ask for at once")
	f.Var(newList((*[]netip.Prefix)(&c.proxies), nil, "network", network, byComma), "trusted-proxy",
		"network of proxies whose X-Forwarded-For is believed; repeatable")
	f.Var(newList(&c.origins, []string{"*"}, "origin", origin, byComma), "cors-origin",
		"origin whose pages may ask, * for any; repeatable")

	f.Var(newValue(&c.logFormat, "text", "format", oneOf("text", "json")), "log-format", "text or json")
	f.Var(newValue(&c.logLevel, "info", "level", level), "log-level", "least level to log: debug, info, warn or error")
	f.Var(newValue(&c.collector, "", "url", endpoint), "otlp-endpoint",
		"OpenTelemetry collector to send traces to by OTLP over HTTP; empty for no traces")
	f.Var(newValue(&c.traceShare, 0.01, "share", share), "trace-ratio",
		"share of the requests to trace, from 0 to 1, where the caller has not decided")
}

// level parses the name of a log level, in either case.
func level(s string) (string, error) {
	return oneOf("debug", "info", "warn", "error")(strings.ToLower(s))
}

// droppedLines is the line of the log that says how many lines were dropped.
func (c *config) droppedLines(lines int) []byte {
	var b bytes.Buffer
	c.newLogger(&b).Warn("lines of the log were dropped: its reader did not keep up", "lines", lines)
	return b.Bytes()
}

// newLogger returns the log as configured.
func (c *config) newLogger(w io.Writer) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(c.logLevel)); err != nil {
		panic(err) // slog knows every name that level lets pass
	}
	options := &slog.HandlerOptions{Level: least}
	if c.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
