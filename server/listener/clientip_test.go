package listener

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"solved/server/flags"
)

// TestClient checks whom a request counts for: no header of a client's own making
// may change that.
func TestClient(t *testing.T) {
	var trusted Proxies
	for _, s := range []string{"10.0.0.0/8", "fd00::/8", "192.0.2.7"} {
		p, err := flags.ParseNetwork(s)
		if err != nil {
			t.Fatal(err)
		}
		trusted = append(trusted, p)
	}
	for _, c := range []struct {
		name       string
		trusted    Proxies
		connection string
		forwarded  []string // header lines
		want       string
	}{
		{"no proxies", nil, "10.0.0.1:99", []string{"203.0.113.9"}, "10.0.0.1"},
		{"a client's own header", trusted, "203.0.113.5:99", []string{"198.51.100.1, 10.0.0.1"}, "203.0.113.5"},
		{"no header", trusted, "10.0.0.1:99", nil, "10.0.0.1"},
		{"one proxy", trusted, "10.0.0.1:99", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a single trusted address", trusted, "192.0.2.7:99", []string{"203.0.113.9"}, "203.0.113.9"},
		{"its neighbour", trusted, "192.0.2.8:99", []string{"203.0.113.9"}, "192.0.2.8"},
		{"two proxies", trusted, "10.0.0.1:99", []string{"203.0.113.9, 10.2.3.4"}, "203.0.113.9"},
		{"a claim before a proxy", trusted, "10.0.0.1:99", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9"},
		{"a claim to be a proxy", trusted, "10.0.0.1:99", []string{"198.51.100.1, 10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
		{"lines", trusted, "10.0.0.1:99", []string{"198.51.100.1", "203.0.113.9,10.2.3.4"}, "203.0.113.9"},
		{"across lines", trusted, "10.0.0.1:99", []string{"203.0.113.9", "10.2.3.4"}, "203.0.113.9"},
		{"proxies only", trusted, "10.0.0.1:99", []string{"10.7.7.7, 10.2.3.4"}, "10.7.7.7"},
		{"a port", trusted, "10.0.0.1:99", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		{"no spaces", trusted, "10.0.0.1:99", []string{"198.51.100.1,203.0.113.9"}, "203.0.113.9"},
		{"many spaces", trusted, "10.0.0.1:99", []string{"  203.0.113.9\t,  10.2.3.4  "}, "203.0.113.9"},
		{"unknown", trusted, "10.0.0.1:99", []string{"unknown"}, "10.0.0.1"},
		{"unknown before a proxy", trusted, "10.0.0.1:99", []string{"203.0.113.9, unknown, 10.2.3.4"}, "10.2.3.4"},
		{"empty", trusted, "10.0.0.1:99", []string{""}, "10.0.0.1"},
		{"an empty end", trusted, "10.0.0.1:99", []string{"203.0.113.9,"}, "10.0.0.1"},
		{"no address", trusted, "10.0.0.1:99", []string{"203.0.113.999"}, "10.0.0.1"},
		{"leading zeros", trusted, "10.0.0.1:99", []string{"203.0.113.009"}, "10.0.0.1"},
		{"a name", trusted, "10.0.0.1:99", []string{"localhost"}, "10.0.0.1"},
		{"bytes", trusted, "10.0.0.1:99", []string{"\x00\xff[::1"}, "10.0.0.1"},
		{"IPv6", trusted, "[fd00::1]:99", []string{"2001:db8::9"}, "2001:db8::9"},
		{"IPv6 in brackets", trusted, "[fd00::1]:99", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"IPv6 with a port", trusted, "[fd00::1]:99", []string{"[2001:db8::9]:443"}, "2001:db8::9"},
		{"IPv4 in brackets", trusted, "[fd00::1]:99", []string{"[203.0.113.9]"}, "fd00::1"},
		{"a zone", trusted, "[fe80::1%eth0]:99", []string{"203.0.113.9"}, "fe80::1"},
		{"a trusted zone", trusted, "[fd00::1%eth0]:99", []string{"fe80::9%eth1"}, "fe80::9"},
		{"IPv4 as IPv6", trusted, "[::ffff:10.0.0.1]:99", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"a proxy as IPv6", trusted, "10.0.0.1:99", []string{"203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
		{"no address of a connection", trusted, "@", []string{"203.0.113.9"}, "invalid IP"},
		{"a long list", trusted, "10.0.0.1:99", []string{strings.Repeat("10.0.0.2,", 5000) + "203.0.113.9"}, "203.0.113.9"},
	} {
		r := &http.Request{RemoteAddr: c.connection, Header: http.Header{}}
		if c.forwarded != nil {
			r.Header["X-Forwarded-For"] = c.forwarded
		}
		if got := c.trusted.Client(r); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// FuzzForwarded checks that no header makes a client of somebody whom the last
// proxy does not name.
func FuzzForwarded(f *testing.F) {
	f.Add("203.0.113.9")
	f.Add("198.51.100.1, [2001:db8::1]:80, 10.0.0.1")
	f.Add(",,%,[")
	trusted := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, claimed string) {
		const client = "203.0.113.77"
		r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {claimed + ", " + client + ", 10.3.3.3"}}}
		if got := trusted.Client(r).String(); got != client {
			t.Errorf("%q makes a client of %s", claimed, got)
		}
		r.Header["X-Forwarded-For"] = []string{claimed} // whatever it is, there is an answer
		if got := trusted.Client(r); !got.IsValid() || got.Zone() != "" || got.Is4In6() {
			t.Errorf("%q is %s", claimed, got)
		}
	})
}
