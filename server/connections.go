package main

import (
	"errors"
	"net"
	"sync"
)

// limitedListener accepts a connection only when fewer than its limit are open.
// Those that have to wait do so in the system's queue, at no cost to us.
//
// golang.org/x/net/netutil.LimitListener does the same, but its connections have
// no CloseWrite, without which net/http resets a connection that it closes with
// input unread, and the client may never see why it was refused.
type limitedListener struct {
	net.Listener
	open   chan struct{} // holds one for each connection
	closed chan struct{}
	once   sync.Once
}

func limitConnections(l net.Listener, most int) *limitedListener {
	return &limitedListener{Listener: l, open: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits until there is room for a connection, and then for one.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &limitedConn{Conn: c, release: sync.OnceFunc(func() { <-l.open })}, nil
}

// Close stops listening. Open connections stay.
func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// limitedConn is a connection that makes room when it is closed.
type limitedConn struct {
	net.Conn
	release func()
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.release()
	return err
}

// CloseWrite ends what is sent and goes on receiving, if the connection can.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
