package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"solved/server/listener"
)

// abuser sends bad requests, as its random source has them.
type abuser struct {
	t        *testing.T
	address  string
	random   *rand.Rand
	statuses map[int]int // of the answers

	// A connection that is kept while requests on it have clear ends.
	kept   net.Conn
	reader *bufio.Reader
}

func (a *abuser) Close() {
	if a.kept != nil {
		a.kept.Close()
		a.kept = nil
	}
}

func (a *abuser) dial() net.Conn {
	c, err := net.Dial("tcp", a.address)
	if err != nil {
		a.t.Error(err)
		return nil
	}
	c.SetDeadline(time.Now().Add(time.Minute)) // what takes longer hangs
	return c
}

// pick returns one of a few values.
func pick[T any](a *abuser, of ...T) T { return of[a.random.IntN(len(of))] }

// noise returns n bytes of one kind: any, printable, or of the contract's words.
func (a *abuser) noise(n int) string {
	b := make([]byte, n)
	alphabet := pick(a, "", "PNBRpnbr12344///  wbud-om", "abcxyz,:=&%+[]{}\"", "0123456789")
	for i := range b {
		if alphabet == "" {
			b[i] = byte(a.random.UintN(256))
		} else {
			b[i] = alphabet[a.random.IntN(len(alphabet))]
		}
	}
	return string(b)
}

// mutate changes a text in one to four places, without regard to what it means.
func (a *abuser) mutate(s string) string {
	for range 1 + a.random.IntN(4) {
		at := a.random.IntN(len(s) + 1)
		to := min(len(s), at+1+a.random.IntN(8))
		switch a.random.IntN(10) {
		case 0:
			s = s[:at] + s[to:]
		case 1:
			s = s[:at] + a.noise(1+a.random.IntN(6)) + s[to:]
		case 2:
			s = s[:at] + a.noise(1+a.random.IntN(6)) + s[at:]
		case 3:
			s = s[:to] + s[at:] // a part twice
		case 4:
			s = s[:at] + "\x00" + s[at:]
		case 5:
			s = s[:at] + pick(a, "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "\u202e", "é") + s[at:]
		case 6:
			s = s[:at] + pick(a, "\r\n", "\n", "\r", "\r\n\r\n", "\t", "\v") + s[at:]
		case 7:
			s = s[:at] + pick(a, "-1", "0", "99999999999999999999", "4294967296", "1e999", "0x10", "NaN") + s[at:]
		case 8:
			s = s[:at]
		case 9:
			if at < len(s) {
				s = s[:at] + string(s[at]^1<<a.random.IntN(8)) + s[at+1:]
			}
		}
	}
	return s
}

// escape writes a text as part of a target: mostly as it should be.
func (a *abuser) escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && a.random.IntN(2) == 0:
			b.WriteByte(pick(a, byte('_'), '+'))
		case c <= ' ' || c >= 0x7f || c == '%' || c == '#' || a.random.IntN(20) == 0:
			fmt.Fprintf(&b, "%%%02x", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// position writes a position, right or wrong.
func (a *abuser) position() string {
	text := pick(a, "Pb2/n1R1/2rp/N3 w dd m", "4/4/4/4 w -- o", "post:1059850930", "opening:17", "2b1/2n1/P1N1/RBp1 w du m", "PNBR/4/4/4 w d- m")
	switch a.random.IntN(6) {
	case 0, 1:
		return text
	case 2:
		return a.noise(a.random.IntN(40))
	case 3:
		return pick(a, "", " ", "post:", "post:-1", "post:99999999999999999999999", "opening:14236865", strings.Repeat("4/", 3000), strings.Repeat("P", 2000), "\x00", "\xff\xfe", "4/4/4/4 w -- o ")
	}
	return a.mutate(text)
}

// target makes the target of a request that has no line break and no blank in it.
func (a *abuser) target() string {
	if a.random.IntN(8) == 0 {
		return pick(a, "/livez", "/readyz", "/metrics", "/docs", "/openapi.json", "/openapi.yaml", "/v1/rules", "/problems/internal",
			"/", "//", "/v1", "/v1/", "/v1/rules/", "/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd", "/v1/%00/probe", "/v1/%", "/%zz", "/v1/tic-tac-chec%2fprobe",
			"/problems/%ff", "/problems/../internal", "/api/probe?path=0,17,4", "/api/probe?path=999", "/api/probe?path=%2c%2c", "/api/probe?path="+strings.Repeat("0,", 2000),
			"*", "http://elsewhere/livez", "http://elsewhere:99999/", "?", "#", "/v1/rules#fragment", "/v1/rules?%", "/v1/rules?;", "/v1/rules?a;b", strings.Repeat("/", 5000))
	}
	ruleset := pick(a, "tic-tac-chec", "tic-tac-chec", "tic-tac-chec-outbound", "0x54544303", "0X54544302", "0x54544309", "chess", "", ".", "..", "%74ic-tac-chec", "tic-tac-chec%20", a.escape(a.noise(5)))
	target := "/v1/" + ruleset + "/" + pick(a, "probe", "probe", "best", "line", "examples", "Probe", "%70robe", "")
	if a.random.IntN(3) == 0 { // hardly anything wrong
		target = "/v1/" + pick(a, "tic-tac-chec", "0x54544301", "tic-tac-chec-toward-opponent") + "/" + pick(a, "probe", "best", "line") + "?position=" + a.escape(a.position())
		return target + pick(a, "", "", "&rules_tag=0x54544303", "&moves=N@a1", "&moves=P@d4,p@c1", "&moves=B@d1")
	}
	separator := "?"
	for range a.random.IntN(4) {
		name := pick(a, "position", "position", "moves", "rules_tag", "max_plies", "positon", "", "position%00")
		value := a.position()
		switch name {
		case "moves":
			value = pick(a, "", ",", "P@a1", "P@a1,", "N@a1,p@b1", "a1-a2", strings.Repeat("P@a1,", a.random.IntN(1200)), a.noise(a.random.IntN(30)))
		case "rules_tag":
			value = pick(a, "0x54544303", "0x54544301", "0x", "54544303", "0xgggggggg", a.noise(10))
		case "max_plies":
			value = pick(a, "1", "5", "0", "-1", "1001", "1000000000000000000000", "1.5", "٣", a.noise(3))
		}
		if a.random.IntN(10) == 0 {
			value = pick(a, "%", "%4", "%zz", "%u0041", "%C0%AF", "%00", "%0d%0aX: y", "%E0%80%80") + a.escape(value)
		} else {
			value = a.escape(value)
		}
		target += separator + name + pick(a, "=", "=", "=", "", "==") + value
		separator = pick(a, "&", "&", "&", ";", "&&", "?")
	}
	switch a.random.IntN(60) {
	case 0:
		target += separator + "position=" + strings.Repeat(pick(a, "4", "%34", "%"), 6_000+a.random.IntN(14_000))
	case 1:
		target += separator + strings.Repeat("&", a.random.IntN(30_000))
	}
	return target
}

// body makes the body of a batch.
func (a *abuser) body() string {
	text, _ := json.Marshal(struct {
		Positions []string `json:"positions"`
		Moves     bool     `json:"moves"`
	}{[]string{a.position(), a.position(), a.position()}, a.random.IntN(4) == 0})
	good := string(text)
	switch a.random.IntN(12) {
	case 0, 1, 2:
		return good
	case 3, 4:
		return a.mutate(good)
	case 5:
		return a.noise(a.random.IntN(200))
	case 6:
		deep := 1 << a.random.IntN(17) // up to 65,536
		return pick(a, strings.Repeat("[", deep), strings.Repeat(`{"positions":`, deep/4), `{"positions":`+strings.Repeat("[", deep)+strings.Repeat("]", deep)+"}",
			`{"positions":["4/4/4/4 w -- o"],"x":`+strings.Repeat(`{"x":`, deep/8)+"1"+strings.Repeat("}", deep/8)+"}")
	case 7:
		n := pick(a, 0, 999, 1000, 1001, 5000)
		return `{"positions":[` + strings.TrimSuffix(strings.Repeat(`"post:7",`, n), ",") + "]}"
	case 8:
		return pick(a, "", "null", "{}", "[]", `""`, "0", `{"positions":null}`, `{"positions":[null]}`, `{"positions":["post:1"],"moves":null}`, `{"positions":["post:1"],"moves":"yes"}`,
			`{"Positions":["post:1"]}`, `{"positions":["post:1"],"positions":["post:2"]}`, `{"positions":[1]}`, `{"positions":{"0":"post:1"}}`, `{"positions":["post:1"]} {}`, `{"positions":["post:1"]}x`,
			`{"positions":["post:1"],"extra":1}`, `{"positions":[[["post:1"]]]}`, `{"positions":[1e999999]}`, `{"positions":["\ud800"]}`, `{"positions":["\u0000"]}`, "\xef\xbb\xbf"+good,
			`{"positions":["`+"\xff\xfe"+`"]}`, `{"positions":["\x"]}`, `{"positions":["post:1",]}`, "{'positions':['post:1']}", `{"positions":["post:1"]//`+"\n}", "\x00", strings.Repeat(" ", 100_000)+good)
	case 9:
		if a.random.IntN(8) > 0 {
			return good
		}
		long := 200_000 + a.random.IntN(100_000) // about the limit of 262,144
		return pick(a, `{"positions":["`+strings.Repeat("4", long)+`"]}`, `{"positions":["post:1"]`+strings.Repeat(" ", long)+"}", `{"positions":[`+strings.Repeat("1", long)+`]}`, strings.Repeat("\\", long))
	case 10:
		return `{"positions":["` + a.position() + `"],"moves":` + pick(a, "true", "false", "1", "tru", "TRUE") + "}"
	}
	return good + a.noise(1+a.random.IntN(5))
}

// headers makes some header lines, each of which is well formed.
func (a *abuser) headers() string {
	var b strings.Builder
	for range a.random.IntN(4) {
		name := pick(a, "Accept-Encoding", "Accept", "If-None-Match", "Origin", "Range", "X-Forwarded-For", "Forwarded", "Traceparent", "User-Agent", "Cookie", "X-Request-Id",
			"Access-Control-Request-Method", "Access-Control-Request-Headers", "Cache-Control", "X-Http-Method-Override", "Upgrade", "If-Modified-Since", "Content-Encoding", "TE", "Referer")
		value := pick(a, "", "*", "gzip", "zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip;q=NaN", "gzip;q=-1", "zstd;q=1e309", ";;;,,,=", `W/"`, `"", W/"x", *`, "bytes=0-", "bytes=9999999999999999999-1",
			"null", "http://elsewhere", "1.2.3.4, ::1, nonsense, 999.1.1.1", "[::", "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff", "h2c", "websocket", "identity", "PROBE", "Thu, 99 Foo 0000",
			strings.Repeat("gzip,", 2000), strings.Repeat(`"e",`, 2000), strings.Repeat("1.1.1.1,", 1500), strings.Repeat("\x80", 50))
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	return b.String()
}

// wrong makes a request whose end is clear, whatever it means.
func (a *abuser) wrong() (method, text string) {
	if a.random.IntN(5) < 3 {
		method = pick(a, "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH", "TRACE", "get", "BREW", "X-"+strings.Repeat("Y", 2000))
		return method, method + " " + a.target() + " HTTP/1.1\r\nHost: solved\r\n" + a.headers() + "\r\n"
	}
	method = pick(a, "POST", "POST", "POST", "POST", "POST", "POST", "PUT", "GET", "DELETE")
	target := pick(a, "/v1/tic-tac-chec/probe", "/v1/tic-tac-chec/probe", "/v1/tic-tac-chec/probe", "/v1/0x54544301/probe?rules_tag=0x54544301", "/v1/tic-tac-chec/line", "/v1/rules", "/livez", "/nowhere", a.target())
	media := pick(a, "application/json", "application/json", "application/json", "application/json", "application/json; charset=utf-8", "application/json; charset=latin1", "text/plain", "", "application/problem+json",
		"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json;;;", ";", "application/json; charset=\"", strings.Repeat("a/b;", 500))
	text = method + " " + target + " HTTP/1.1\r\nHost: solved\r\nContent-Type: " + media + "\r\n" + a.headers()
	body := a.body()
	if a.random.IntN(3) > 0 {
		return method, text + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	text += "Transfer-Encoding: chunked\r\n\r\n"
	for len(body) > 0 {
		n := min(len(body), 1+a.random.IntN(max(16, len(body))))
		text += fmt.Sprintf("%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return method, text + "0\r\n\r\n"
}

// readAtOnce is how much net/http reads of a connection at once. Where it refuses
// what is no HTTP without having read all of it, the system resets the connection,
// and the answer may be lost on the way.
const readAtOnce = 4096

// sendWrong sends a request whose end is clear, on a connection that is kept for
// as long as the server keeps it.
func (a *abuser) sendWrong() {
	if a.kept == nil {
		if a.kept = a.dial(); a.kept == nil {
			return
		}
		a.reader = bufio.NewReader(a.kept)
	}
	a.kept.SetDeadline(time.Now().Add(time.Minute))
	method, text := a.wrong()
	// The server may refuse before it has read everything, so this can fail.
	_, writeErr := io.WriteString(a.kept, text)
	response, err := http.ReadResponse(a.reader, &http.Request{Method: method})
	if err != nil {
		if len(text) <= readAtOnce || ended(err) != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			a.t.Errorf("no answer, %v, %v, to %s", writeErr, err, shown(text))
		}
		a.Close()
		return
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil && (len(text) <= readAtOnce || !response.Close) {
		a.t.Errorf("half an answer, %v, to %s", err, shown(text))
	}
	if err == nil && method != http.MethodHead {
		a.judge(response, body, text)
	}
	a.statuses[response.StatusCode]++
	// An answer to HEAD has no body that could say which refusal it is.
	headRefused := method == http.MethodHead && response.StatusCode == http.StatusServiceUnavailable && response.Close
	if response.StatusCode >= 500 && !headRefused && !mayFail(response.StatusCode, body) {
		a.t.Errorf("%s %s to %s", response.Status, body, shown(text))
	}
	if response.Close || err != nil || writeErr != nil {
		a.Close()
	}
}

// mayFail says whether an answer with a status of 500 or more is right for a malformed
// request. net/http gives two such answers, for an unknown version of the protocol and an
// unknown transfer coding (RFC 9110 and 9112). The server refuses a long header while
// other long headers take all the memory that headers may take.
func mayFail(status int, body []byte) bool {
	_, refusal, _ := bytes.Cut(listener.HeaderRefusal, []byte("\r\n\r\n"))
	return status == http.StatusServiceUnavailable && bytes.HasPrefix(body, refusal) ||
		status == http.StatusHTTPVersionNotSupported && bytes.HasPrefix(body, []byte("505 HTTP Version Not Supported: ")) ||
		status == http.StatusNotImplemented && bytes.HasPrefix(body, []byte("Unsupported transfer encoding"))
}

// judge holds a failure to its form: problem details, unless net/http has refused
// what is not HTTP.
func (a *abuser) judge(response *http.Response, body []byte, text string) {
	media := response.Header.Get("Content-Type")
	if response.StatusCode < 400 {
		return
	}
	body, err := decoded(response, body)
	if err != nil {
		a.t.Errorf("%s, %v, to %s", response.Status, err, shown(text))
		return
	}
	switch {
	case media == "application/problem+json":
		var problem struct {
			Type   string
			Status int
			Detail string
		}
		if err := json.Unmarshal(body, &problem); err != nil || problem.Status != response.StatusCode || problem.Detail == "" || !strings.HasPrefix(problem.Type, "/problems/") {
			a.t.Errorf("the problem is %s, %v, for %s", body, err, shown(text))
		}
	case media == "application/json" && strings.Contains(text, "/api/probe") && bytes.HasPrefix(body, []byte(`{"error":`)):
	case response.Close && response.Header.Get("X-Request-Id") == "": // not by our handler
	default:
		a.t.Errorf("%s, %s, %.200q to %s", response.Status, media, body, shown(text))
	}
}

// decoded is a body without the encoding that a broken question may have asked for.
func decoded(response *http.Response, body []byte) ([]byte, error) {
	switch encoding := response.Header.Get("Content-Encoding"); encoding {
	case "":
		return body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "zstd":
		r, err := zstd.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	default:
		return nil, fmt.Errorf("the encoding is %q", encoding)
	}
}

// broken makes bytes that begin like one or more requests.
func (a *abuser) broken() string {
	_, text := a.wrong()
	line, rest, _ := strings.Cut(text, "\r\n")
	switch a.random.IntN(16) {
	case 0, 1, 2:
		return a.mutate(text)
	case 3: // near the start, where the protocol is
		return a.mutate(text[:min(len(text), 120)]) + text[min(len(text), 120):]
	case 4:
		return a.noise(a.random.IntN(5000))
	case 5:
		return pick(a, "GET", "GET /livez", "GET  /livez HTTP/1.1", "GET /livez HTTP/9.9", "GET /livez HTTP/2.0", "GET /livez HTTP/1.10", "GET /livez http/1.1", "GET /livez HTTP/0.9", "GET /livez HTTP/1.0",
			"GET\t/livez\tHTTP/1.1", " GET /livez HTTP/1.1", "GET /li vez HTTP/1.1", "G\x00T /livez HTTP/1.1", "GET /\x00 HTTP/1.1", "GET /é HTTP/1.1", "GET /livez HTTP/1.1 ", "PRI * HTTP/2.0", "CONNECT /livez HTTP/1.1",
			"CONNECT solved:80 HTTP/1.1", "OPTIONS * HTTP/1.1", "GET "+strings.Repeat("a", 3000)+" HTTP/1.1", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET livez HTTP/1.1", "GET :// HTTP/1.1", "GET http:// HTTP/1.1", "GET http://[::1 HTTP/1.1") + "\r\n" + rest
	case 6:
		return line + "\r\n" + pick(a, "Host: two\r\n", "Host\r\n", ": empty\r\n", "X Y: z\r\n", "X\x00: z\r\n", "X: a\x00b\r\n", "X: a\r b\r\n", " folded: yes\r\n", "X: y\r\n folded\r\n", "Host: a b\r\n", "Host: \xff\r\n", "Expect: 200-maybe\r\n",
			"Expect: 100-continue\r\n", "X: "+strings.Repeat("a", 200_000)+"\r\n", strings.Repeat("X: y\r\n", 20_000), strings.Repeat("a", 100_000)+": x\r\n", "Connection: close, keep-alive, upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
			"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n", "Content-Length: 0x10\r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length: 9223372036854775807\r\n", "Content-Length: 1, 2\r\n", "Content-Length: +5\r\n") + rest
	case 7:
		return "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\n" + pick(a, "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n",
			"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "Transfer-Encoding:\r\n", "Transfer-Encoding: \x00\r\n") + "\r\n" + a.body()
	case 8: // chunks that lie
		return "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n" + pick(a, "", "Trailer: X, Content-Length\r\n") + "\r\n" +
			pick(a, "FFFFFFFFFFFFFFFF\r\n", "FFFFFFFFFFFFFFFFF\r\n", "-1\r\n", "0x5\r\n", "5\n", "\r\n", "5;"+strings.Repeat("x", 10_000)+"\r\n", "5 \r\n", "g\r\n", "0\r\nX: y\r\nContent-Length: 5\r\n\r\n", "0\r\n"+strings.Repeat("X: y\r\n", 10_000),
				"5\r\nhelloX", "5\r\nhel", strings.Repeat("1\r\n \r\n", 10_000), "400000\r\n"+strings.Repeat(" ", 300_000)) + a.body()
	case 9: // lengths that lie
		body := a.body()
		return "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\nContent-Length: " + strconv.FormatInt(max(0, int64(len(body))+pick[int64](a, -1, 1, -10, 10, 100, 5000, 200_000, 300_000, 1<<40)), 10) + "\r\n\r\n" + body
	case 10: // many at once
		for range a.random.IntN(20) {
			_, more := a.wrong()
			text += more
			if a.random.IntN(20) == 0 {
				text = a.mutate(text)
			}
		}
		return text
	case 11:
		return strings.ReplaceAll(text, "\r\n", pick(a, "\n", "\r", "\r\r\n", "\n\r", ""))
	case 12: // a target or a header about as long as the limit
		long := pick(a, 16_000, 16_300, 16_500, 20_000, 60_000, 65_000, 66_000, 70_000, 140_000)
		return "GET /v1/tic-tac-chec/probe?position=" + strings.Repeat("a", long) + " HTTP/1.1\r\nHost: solved\r\n\r\n"
	case 13:
		return text[:a.random.IntN(len(text)+1)]
	case 14:
		return strings.Repeat(pick(a, "\r\n", "\n", "\x00", "GET ", "\xff", "A"), a.random.IntN(50_000))
	}
	return a.mutate(a.mutate(text))
}

var statusLine = regexp.MustCompile(`HTTP/1\.[01] ([1-5]\d\d) `)

// sendBroken sends bytes that need not have an end on a connection of their own,
// and makes sure that it comes to one.
func (a *abuser) sendBroken() {
	c := a.dial()
	if c == nil {
		return
	}
	defer c.Close()
	text := a.broken()
	// What the server takes for the next request ends the connection: this is none.
	io.WriteString(c, text+"\r\n\r\nNONE\r\n\r\n")
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	answer, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// It waits for more, be it of the header or of the body: more than it takes
		// of either (of a body, net/http reads 256 KiB after it was refused), and
		// then something that is none.
		io.WriteString(c, strings.Repeat("x", 600<<10)+"\r\n\r\nNONE\r\n\r\n")
		c.SetReadDeadline(time.Now().Add(time.Minute))
		var more []byte
		more, err = io.ReadAll(c)
		answer = append(answer, more...)
	}
	if ended(err) != nil {
		a.t.Errorf("the connection does not end, %v, after %s and answers %.300q", err, shown(text), answer)
	}
	for _, m := range statusLine.FindAllSubmatchIndex(answer, -1) {
		status, _ := strconv.Atoi(string(answer[m[2]:m[3]]))
		a.statuses[status]++
		_, body, _ := bytes.Cut(answer[m[0]:], []byte("\r\n\r\n"))
		if status >= 500 && !mayFail(status, body) {
			a.t.Errorf("%.300q to %s", answer[m[0]:], shown(text))
		}
	}
}

// shown is a request for a message.
func shown(text string) string {
	if len(text) > 700 {
		return fmt.Sprintf("%q… %q, %d bytes", text[:400], text[len(text)-200:], len(text))
	}
	return fmt.Sprintf("%q", text)
}
