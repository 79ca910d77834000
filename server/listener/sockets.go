package listener

import (
	"net"
)

// socketBuffer is how much the system is asked to hold of what a client has sent and the
// server has not read, in bytes; Linux reserves twice as much, for its own data. By itself
// it would hold megabytes, which count as memory of the container: clients that send and
// are not read would take memory that no bound of ours sees.
const socketBuffer = 24 << 10

// unsentBuffer is how much the system takes of an answer beyond what is on its way to the
// client, in bytes. A client that does not read has nothing on its way, so it cannot make
// the system hold more. Bounding the whole buffer instead would bound what is on its way,
// too: over loopback, where a segment has 64 KiB, an answer of 4 MB then took 2 s.
const unsentBuffer = 24 << 10

// boundBuffers bounds what the system holds for a connection.
func boundBuffers(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	// An error means that the connection is gone, which shows when it is read.
	_ = tcp.SetReadBuffer(socketBuffer)
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { boundUnsent(fd, unsentBuffer) })
	}
}
