//go:build !linux

package listener

import (
	"errors"
	"net"
)

// ignoreNew is for Linux only.
func ignoreNew(net.Listener) error { return errors.ErrUnsupported }
