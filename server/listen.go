package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// address parses an address to listen on: HOST:PORT, of which HOST may be empty for
// all addresses of the machine.
func address(s string) (string, error) {
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

// listen listens on the address of a flag. An address at which the program can never
// listen is a wrong setting; one that is in use may be free later.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var how net.ListenConfig
	how.SetMultipathTCP(false) // Linux filters none of its sockets, see ignoreNew
	l, err := how.Listen(ctx, "tcp", address)
	var unknown *net.DNSError
	setting := fmt.Sprintf("--%s (%s) is %s", flag, variable(flag), address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: another program listens there; end it, or choose another port: %s", err, otherPort(flag, address))
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: this user may not listen there; choose a port from 1024 on, or allow this one; %s", err, setting)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		err = fmt.Errorf("%w: the name of the host is not known; %s", err, setting)
	default:
		return nil, fmt.Errorf("%w; %s", err, setting)
	}
	return nil, &usageError{err, "solved serve"}
}

// otherPort tells how to listen on the port after an address's, by flag or by variable.
func otherPort(flag, address string) string {
	host, port, err := net.SplitHostPort(address)
	n, notNumber := strconv.Atoi(port)
	if err != nil || notNumber != nil || n < 1 || n >= 65535 {
		n = 8080 // a port by name, or the last one
	}
	other := net.JoinHostPort(host, strconv.Itoa(n+1))
	return fmt.Sprintf("--%s %s or %s=%s", flag, other, variable(flag), other)
}

// clickable is the URL of a path at an address that is listened on, for a person on
// this machine.
func clickable(at net.Addr, path string) string {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return path
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + path
}
