package main

import "net"

// socketBuffer is what the system is asked to hold for a connection of what was sent to
// the server and not read, and of what it has answered and the client has not taken, in
// bytes each; Linux reserves twice as much, for its own data. By itself it would hold
// megabytes, which count as memory of the container: a client that does not read would
// take memory that no bound of ours sees. At a round trip of 50 ms this still carries
// about 700 kB a second.
const socketBuffer = 24 << 10

// boundBuffers bounds what the system holds for a connection.
func boundBuffers(c net.Conn) {
	if c, ok := c.(*net.TCPConn); ok {
		// An error means that the connection is gone, which shows when it is read.
		_ = c.SetReadBuffer(socketBuffer)
		_ = c.SetWriteBuffer(socketBuffer)
	}
}
