package listener

import "golang.org/x/sys/unix"

// boundUnsent bounds what the system takes of an answer beyond what is on its way, in bytes.
func boundUnsent(fd uintptr, bytes int) {
	// An error means that the connection is gone.
	_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, bytes)
}
