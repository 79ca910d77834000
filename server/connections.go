package main

import (
	"errors"
	"net"
	"sync"
	"time"
)

// listener accepts a connection only when fewer than its limit are open. Those that
// have to wait do so in the system's queue, at no cost to us.
//
// golang.org/x/net/netutil.LimitListener does the same, but its connections have
// no CloseWrite, without which net/http resets a connection that it closes with
// input unread, and the client may never see why it was refused.
type listener struct {
	net.Listener
	open   chan struct{} // holds one for each connection; nil for any number of them
	closed chan struct{}
	once   sync.Once
}

// limitConnections wraps a listener. most is how many connections may be open at a
// time, 0 for any number.
func limitConnections(l net.Listener, most int) *listener {
	limited := &listener{Listener: l, closed: make(chan struct{})}
	if most > 0 {
		limited.open = make(chan struct{}, most)
	}
	return limited
}

// Accept waits until there is room for a connection, and then for one.
func (l *listener) Accept() (net.Conn, error) {
	release := func() {}
	if l.open != nil {
		select {
		case l.open <- struct{}{}:
			release = sync.OnceFunc(func() { <-l.open })
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
	c, err := l.Listener.Accept()
	if err != nil {
		release()
		return nil, err
	}
	return &connection{Conn: c, release: release}, nil
}

// Close stops listening. Open connections stay.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// connection makes room when it is closed, and sends an answer in one piece: net/http
// hands it over in pieces of 4 KiB, each of which would be a system call, and a packet
// of its own. What is written is held back until there is more of it than fits, or
// until the server turns to something else: it reads, closes, or lifts the deadline
// for writing, as net/http does at the end of each answer. So nothing is ever held
// back while the server waits for the client. But a handler that flushes a part of its
// answer and then takes its time over the rest would keep its client waiting; there is
// none here.
type connection struct {
	net.Conn
	release func()

	mu   sync.Mutex
	held *[]byte // written and not sent; nil for nothing, from heldBuffers
	err  error   // of the first sending that failed
}

// heldRoom is how much is held back, in bytes: most answers, with their headers.
const heldRoom = 16 << 10

// heldBuffers holds the buffers of connections that hold nothing back.
var heldBuffers = sync.Pool{New: func() any {
	buffer := make([]byte, 0, heldRoom)
	return &buffer
}}

// Write holds b back, or sends it. An error may be that of an earlier one.
func (c *connection) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil && len(*c.held)+len(b) > heldRoom {
		c.send()
	}
	switch {
	case c.err != nil:
		return 0, c.err
	case len(b) > heldRoom:
		return c.Conn.Write(b)
	case c.held == nil:
		c.held = heldBuffers.Get().(*[]byte)
	}
	*c.held = append(*c.held, b...)
	return len(b), nil
}

// send sends what is held back. c.mu is held.
func (c *connection) send() {
	if c.held == nil {
		return
	}
	if c.err == nil {
		_, c.err = c.Conn.Write(*c.held)
	}
	*c.held = (*c.held)[:0]
	heldBuffers.Put(c.held)
	c.held = nil
}

// flush sends what is held back, and returns the error of that or of an earlier
// sending.
func (c *connection) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send()
	return c.err
}

// Read sends what is held back, and then reads.
func (c *connection) Read(b []byte) (int, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *connection) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetWriteDeadline sends what is held back, by the deadline there was, and then sets
// another.
func (c *connection) SetWriteDeadline(t time.Time) error {
	if err := c.flush(); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(t)
}

// lastWords is how long sending may take on closing. The system takes the little there
// is at once, unless the client does not read.
const lastWords = 100 * time.Millisecond

// Close sends what is held back, and closes the connection. It does not wait for a
// Write that does not end, but ends it.
func (c *connection) Close() error {
	if c.mu.TryLock() {
		if c.held != nil {
			_ = c.Conn.SetWriteDeadline(time.Now().Add(lastWords))
			c.send()
		}
		c.mu.Unlock()
	}
	err := c.Conn.Close()
	c.release()
	return err
}

// CloseWrite ends what is sent and goes on receiving, if the connection can.
func (c *connection) CloseWrite() error {
	if err := c.flush(); err != nil {
		return err
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
