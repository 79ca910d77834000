package listener

import (
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the proxies in front of the server, whose word is
// taken for whom they ask.
type Proxies []netip.Prefix

// Client returns the address that a request comes from: that of the connection,
// unless it is a proxy's. Each proxy adds the address of whoever asked it to the
// end of X-Forwarded-For, so the client is the last one there that is no proxy.
// What is further to the left is only what the client itself says.
//
// The address is neither zoned nor an IPv4 one written as IPv6. It is not valid
// if the connection has none.
func (p Proxies) Client(r *http.Request) netip.Addr {
	connection, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	last := canonicalAddr(connection.Addr())
	if len(p) == 0 || !p.include(last) {
		return last
	}
	lines := r.Header["X-Forwarded-For"]
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			entry := rest
			at := strings.LastIndexByte(rest, ',')
			if more = at >= 0; more {
				rest, entry = rest[:at], rest[at+1:]
			}
			address, ok := forwarded(strings.TrimSpace(entry))
			if !ok {
				return last // it is not known whom this proxy asked for
			}
			if last = address; !p.include(last) {
				return last
			}
		}
	}
	return last
}

func (p Proxies) include(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// forwarded parses an address as proxies write it: with or without a port, and
// with or without brackets.
func forwarded(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		return canonicalAddr(a), true
	}
	if a, err := netip.ParseAddrPort(s); err == nil {
		return canonicalAddr(a.Addr()), true
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			a, err := netip.ParseAddr(inner)
			return canonicalAddr(a), err == nil && a.Is6()
		}
	}
	return netip.Addr{}, false
}

// canonicalAddr is an address without what does not tell clients apart.
func canonicalAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// RateLimitKey is what counts as one client: an IPv4 address, or as many IPv6
// addresses as one subscriber has at least, and so could use in turn.
func RateLimitKey(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	network, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return network.Addr()
}
