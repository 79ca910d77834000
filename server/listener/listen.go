package listener

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"solved/server/flags"
)

// Listen listens on the address of a flag. An address at which the program can never
// listen is a wrong setting; one that is in use may be free later.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var how net.ListenConfig
	how.SetMultipathTCP(false) // Linux filters none of its sockets, see ignoreNew
	l, err := how.Listen(ctx, "tcp", address)
	var unknown *net.DNSError
	setting := fmt.Sprintf("--%s (%s) is %s", flag, flags.Variable(flag), address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: another program listens there; end it, or choose another port: %s", err, OtherPort(flag, address))
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: this user may not listen there; choose a port from 1024 on, or allow this one; %s", err, setting)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		err = fmt.Errorf("%w: the name of the host is not known; %s", err, setting)
	default:
		return nil, fmt.Errorf("%w; %s", err, setting)
	}
	return nil, &flags.UsageError{Err: err, Command: "solved serve"}
}

// OtherPort tells how to listen on the port after an address's, by flag or by variable.
func OtherPort(flag, address string) string {
	host, port, err := net.SplitHostPort(address)
	n, notNumber := strconv.Atoi(port)
	if err != nil || notNumber != nil || n < 1 || n >= 65535 {
		n = 8080 // a port by name, or the last one
	}
	other := net.JoinHostPort(host, strconv.Itoa(n+1))
	return fmt.Sprintf("--%s %s or %s=%s", flag, other, flags.Variable(flag), other)
}

// Clickable is the URL of a path at an address that is listened on, for a person on
// this machine.
func Clickable(at net.Addr, path string) string {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return path
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + path
}
