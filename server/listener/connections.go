package listener

import (
	linked "container/list"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds says how many connections a listener holds.
type Bounds struct {
	Most      int     // at a time, 0 for any number
	PerClient int     // of one client, an IPv4 address or the /64 of an IPv6 one; 0 for any number
	Exempt    Proxies // clients that may hold any number, since they stand for many
	// Headers is the memory that long headers share; nil for no bound.
	Headers *headerBudget
}

// Listener holds no more connections than its bounds allow. When there are as many,
// connections that wait for a request, or for the rest of its header, are closed to make
// room for new ones: first the one that has waited longest. Only if all are busy, a new connection waits, and those
// after it wait in the system's queue, at no cost to us. A client at its own bound
// loses its own waiting connections, or else the new one.
//
// golang.org/x/net/netutil.LimitListener only waits. Also, its connections have
// no CloseWrite, without which net/http resets a connection that it closes with
// input unread, and the client may never see why it was refused.
type Listener struct {
	net.Listener
	bounds Bounds
	// ended is told of each connection that is closed to keep the bounds; nil for nobody.
	ended    func(reason string)
	closed   chan struct{}
	once     sync.Once
	freed    chan struct{} // there may be room now
	draining atomic.Pointer[draining]

	mu      sync.Mutex
	open    int
	waiting linked.List // of *connection, longest first
	clients map[netip.Addr]*clientConnections
}

// clientConnections are those of one client.
type clientConnections struct {
	open    int
	waiting linked.List // of *connection, longest first
}

// The reasons for which connections are closed to keep the bounds.
const (
	EndedForRoom   = "idle"   // it waited for a request, and another needed its place
	EndedForClient = "client" // its client has as many as it may have, all of them busy
	EndedForHeader = "header" // its request's header found no memory
)

// Limit wraps a listener.
func Limit(l net.Listener, bounds Bounds, ended func(reason string)) *Listener {
	return &Listener{Listener: l, bounds: bounds, ended: ended, closed: make(chan struct{}), freed: make(chan struct{}, 1),
		clients: make(map[netip.Addr]*clientConnections)}
}

// Accept waits for a connection, and then until there is room for it.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.next()
		if err != nil {
			return nil, err
		}
		boundBuffers(inner)
		c := &Connection{Conn: inner, home: l, header: HeaderUse{Of: l.bounds.Headers}}
		if at, err := netip.ParseAddrPort(inner.RemoteAddr().String()); err == nil && l.bounds.PerClient > 0 {
			if client := canonicalAddr(at.Addr()); !l.bounds.Exempt.include(client) {
				c.client = RateLimitKey(client)
			}
		}
		if l.admit(c) {
			return c, nil
		}
		inner.Close()
		l.tell(EndedForClient)
	}
}

func (l *Listener) tell(reason string) {
	if l.ended != nil {
		l.ended(reason)
	}
}

// admit waits until there is room for a connection, and takes it. It says whether the
// connection's client may have another.
func (l *Listener) admit(c *Connection) bool {
	for {
		l.mu.Lock()
		full := l.bounds.Most > 0 && l.open >= l.bounds.Most
		own := l.clients[c.client]
		crowded := own != nil && own.open >= l.bounds.PerClient
		var oldest *linked.Element
		switch {
		case crowded:
			oldest = own.waiting.Front()
		case full:
			oldest = l.waiting.Front()
		default:
			l.take(c)
		}
		if oldest != nil {
			l.unwait(oldest.Value.(*Connection))
		}
		l.mu.Unlock()
		switch {
		case oldest != nil:
			oldest.Value.(*Connection).Close()
			l.tell(EndedForRoom)
		case crowded:
			return false
		case !full:
			return true
		default:
			select {
			case <-l.freed:
			case <-l.closed: // it has arrived before, and is the last
				l.mu.Lock()
				l.take(c)
				l.mu.Unlock()
				return true
			}
		}
	}
}

// take notes a connection, which waits for its first request. l.mu is held.
func (l *Listener) take(c *Connection) {
	l.open++
	if c.client.IsValid() {
		own := l.clients[c.client]
		if own == nil {
			own = new(clientConnections)
			l.clients[c.client] = own
		}
		own.open++
	}
	l.wait(c)
}

// wait notes that a connection waits for a request. l.mu is held.
func (l *Listener) wait(c *Connection) {
	if c.gone || c.waiting != nil {
		return
	}
	c.waiting = l.waiting.PushBack(c)
	if c.client.IsValid() {
		c.waitingOfClient = l.clients[c.client].waiting.PushBack(c)
	}
}

// unwait notes that a connection does not wait any more. l.mu is held.
func (l *Listener) unwait(c *Connection) {
	if c.waiting == nil {
		return
	}
	l.waiting.Remove(c.waiting)
	if c.client.IsValid() {
		l.clients[c.client].waiting.Remove(c.waitingOfClient)
	}
	c.waiting, c.waitingOfClient = nil, nil
}

// State notes what a connection does. It is an [http.Server.ConnState].
func (l *Listener) State(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*Connection)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		c.header.End()
		l.mu.Lock()
		l.unwait(c)
		l.mu.Unlock()
	case http.StateIdle:
		c.header.Release()
		l.mu.Lock()
		l.wait(c)
		l.mu.Unlock()
		l.free()
	}
}

// Count returns how many connections are open, and how many of those wait for a
// request.
func (l *Listener) Count() (open, idle int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, l.waiting.Len()
}

// free says that there may be room.
func (l *Listener) free() {
	select {
	case l.freed <- struct{}{}:
	default:
	}
}

// forget notes that a connection is closed.
func (l *Listener) forget(c *Connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.gone {
		return
	}
	l.unwait(c)
	c.gone = true
	l.open--
	if c.client.IsValid() {
		own := l.clients[c.client]
		if own.open--; own.open == 0 {
			delete(l.clients, c.client)
		}
	}
	l.free()
}

// draining is how a listener ends.
type draining struct {
	quiet time.Duration // without a connection, after which it is closed
	until time.Time     // it is closed in any case
}

// Drain ends a listener, but first lets those connections in that have arrived, which
// closing resets: it closes when none has arrived for quiet, or when most has passed.
// Where the system allows it, nobody can begin to connect meanwhile; a client that
// tries finds the listener closed when it tries again.
func (l *Listener) Drain(quiet, most time.Duration) {
	if err := ignoreNew(l.Listener); err != nil {
		most = min(most, 10*quiet) // there may be new ones without end
	}
	now := time.Now()
	d := &draining{quiet, now.Add(most)}
	l.draining.Store(d)
	l.wakeBy(now.Add(quiet), d)
}

// wakeBy has Accept return at a time, or earlier if the draining ends before.
func (l *Listener) wakeBy(t time.Time, d *draining) {
	if t.After(d.until) {
		t = d.until
	}
	inner, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok || inner.SetDeadline(t) != nil {
		l.Close()
	}
}

// next is the next connection that has arrived.
func (l *Listener) next() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if d := l.draining.Load(); d != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			l.Close()
			return nil, net.ErrClosed
		}
		l.wakeBy(time.Now().Add(d.quiet), d)
	}
	return c, err
}

// Close stops listening. Open connections stay.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Connection makes room when it is closed, and sends an answer in one piece: net/http
// hands it over in pieces of 4 KiB, each of which would be a system call, and a packet
// of its own. What is written is held back until there is more of it than fits, or
// until the server turns to something else: it reads, closes, or lifts the deadline
// for writing, as net/http does at the end of each answer. So nothing is ever held
// back while the server waits for the client. But a handler that flushes a part of its
// answer and then takes its time over the rest would keep its client waiting; there is
// none here.
type Connection struct {
	net.Conn
	home   *Listener
	header HeaderUse
	client netip.Addr // whose connections are bounded; not valid for one without a bound

	// These are guarded by the listener's lock.
	waiting, waitingOfClient *linked.Element // nil when it is busy
	gone                     bool

	mu   sync.Mutex
	Held *[]byte // written and not sent; nil for nothing, from heldBuffers
	err  error   // of the first sending that failed
}

// HeldRoom is how much is held back, in bytes: most answers, with their headers.
const HeldRoom = 16 << 10

// heldBuffers holds the buffers of connections that hold nothing back.
var heldBuffers = sync.Pool{New: func() any {
	buffer := make([]byte, 0, HeldRoom)
	return &buffer
}}

// Write holds b back, or sends it. An error may be that of an earlier one.
func (c *Connection) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Held != nil && len(*c.Held)+len(b) > HeldRoom {
		c.send()
	}
	switch {
	case c.err != nil:
		return 0, c.err
	case len(b) > HeldRoom:
		return c.Conn.Write(b)
	case c.Held == nil:
		c.Held = heldBuffers.Get().(*[]byte)
	}
	*c.Held = append(*c.Held, b...)
	return len(b), nil
}

// send sends what is held back. c.mu is held.
func (c *Connection) send() {
	if c.Held == nil {
		return
	}
	if c.err == nil {
		_, c.err = c.Conn.Write(*c.Held)
	}
	*c.Held = (*c.Held)[:0]
	heldBuffers.Put(c.Held)
	c.Held = nil
}

// flush sends what is held back, and returns the error of that or of an earlier
// sending.
func (c *Connection) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send()
	return c.err
}

// Read sends what is held back, and then reads.
func (c *Connection) Read(b []byte) (int, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	if !c.header.Read(n) {
		c.home.tell(EndedForHeader)
		refuseHeader(c.Conn)
		return 0, io.EOF // net/http then closes the connection
	}
	return n, err
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Connection) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetWriteDeadline sends what is held back, by the deadline there was, and then sets
// another.
func (c *Connection) SetWriteDeadline(t time.Time) error {
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
func (c *Connection) Close() error {
	if c.mu.TryLock() {
		if c.Held != nil {
			_ = c.Conn.SetWriteDeadline(time.Now().Add(lastWords))
			c.send()
		}
		c.mu.Unlock()
	}
	err := c.Conn.Close()
	c.header.Release()
	c.home.forget(c)
	return err
}

// CloseWrite ends what is sent and goes on receiving, if the connection can.
func (c *Connection) CloseWrite() error {
	if err := c.flush(); err != nil {
		return err
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
