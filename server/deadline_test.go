package main

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fakeConn is a connection on which nothing ever comes: reading it waits
// until its deadline.
type fakeConn struct {
	deadline time.Time
	moved    int // how often the deadline was set
}

func (c *fakeConn) setDeadline(t time.Time) error {
	c.deadline = t
	c.moved++
	return nil
}

func (c *fakeConn) operate([]byte) (int, error) {
	if c.deadline.IsZero() {
		return 0, errWithoutEnd
	}
	time.Sleep(time.Until(c.deadline))
	return 0, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
}

var errWithoutEnd = errors.New("this would wait for ever")

// TestDeadline moves a deadline about and reads: each read ends when the last deadline
// set says, or would wait for ever if there is none.
func TestDeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		conn := new(fakeConn)
		var wanted time.Time
		d := newDeadline(func(b []byte) (int, error) {
			if !wanted.IsZero() && (conn.deadline.IsZero() || conn.deadline.After(wanted)) {
				t.Fatalf("until %v, this would wait until %v", wanted, conn.deadline)
			}
			return conn.operate(b)
		}, conn.setDeadline)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "step") > 0 {
				wanted = time.Time{}
				if ms := rapid.IntRange(-3, 3).Draw(t, "ms"); ms != -3 {
					wanted = time.Now().Add(time.Duration(ms) * time.Millisecond)
				}
				if err := d.set(wanted); err != nil {
					t.Fatal(err)
				}
				continue
			}
			_, err := d.run(nil)
			switch now := time.Now(); {
			case wanted.IsZero():
				if !errors.Is(err, errWithoutEnd) {
					t.Fatalf("without a deadline: %v", err)
				}
			case !errors.Is(err, os.ErrDeadlineExceeded):
				t.Fatalf("with a deadline: %v", err)
			case now.Before(wanted):
				t.Fatalf("ended %v too early", wanted.Sub(now))
			}
		}
	})
}

// TestDeadlineMovedOn checks that moving a deadline on and on costs nothing beneath.
func TestDeadlineMovedOn(t *testing.T) {
	conn := new(fakeConn)
	d := newDeadline(func(b []byte) (int, error) { return len(b), nil }, conn.setDeadline)
	for range 1000 {
		for _, wanted := range []time.Time{time.Now().Add(time.Minute), {}} {
			if err := d.set(wanted); err != nil {
				t.Fatal(err)
			}
			if n, err := d.run(make([]byte, 7)); n != 7 || err != nil {
				t.Fatal(n, err)
			}
		}
	}
	if conn.moved != 1 {
		t.Errorf("the deadline beneath was moved %d times", conn.moved)
	}
}

// TestDeadlineSetWhileReading checks on a real connection that a read which waits ends
// by a deadline set meanwhile, the way net/http ends its own, goes on past one that was
// moved on, and that reading works again afterwards.
func TestDeadlineSetWhileReading(t *testing.T) {
	c, other := tcpPair(t)
	read := func() <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := c.Read(make([]byte, 1))
			ended <- err
		}()
		time.Sleep(10 * time.Millisecond) // most often it waits by now, and need not
		return ended
	}
	for range 3 {
		if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		ended := read()
		if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		var timeout net.Error
		if err := <-ended; !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Fatalf("ended by %v", err)
		}

		if err := c.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		ended = read()
		if err := c.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Fatalf("ended by a deadline that had been lifted: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		if _, err := other.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeadlineAndSlowReader checks that a write which a deadline moved on finds in its
// middle goes on where it was, and that one whose deadline comes ends.
func TestDeadlineAndSlowReader(t *testing.T) {
	c, other := tcpPair(t)
	text := make([]byte, 32<<20) // more than the system takes
	for i := range text {
		text[i] = byte(i % 251)
	}
	if err := c.SetWriteDeadline(time.Now().Add(30 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	if err := c.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil { // and the earlier one stays beneath
		t.Fatal(err)
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := c.Write(text)
		wrote <- err
	}()
	time.Sleep(60 * time.Millisecond)
	received := make([]byte, 1+len(text))
	for n := 0; n < len(received); {
		some, err := other.Read(received[n:])
		if err != nil {
			t.Fatalf("after %d bytes: %v", n, err)
		}
		n += some
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	for i, b := range received[1:] {
		if b != byte(i%251) {
			t.Fatalf("byte %d is wrong", i)
		}
	}

	if err := c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(text); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a client that does not read: %v", err)
	}
}
