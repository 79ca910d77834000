package listener

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// ignoreNew makes the system ignore every client that begins to connect to a listener.
// Connections that have begun before still arrive. Closing a listener would reset
// those that it has not accepted, and there is no other way to end their coming: so a
// filter on its socket drops each packet that has the flag SYN and not ACK.
func ignoreNew(l net.Listener) error {
	socket, ok := l.(syscall.Conn)
	if !ok {
		return syscall.ENOTSUP
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	const (
		flagsAt  = 13 // in the header of TCP
		syn, ack = 0x02, 0x10
	)
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flagsAt},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: syn | ack},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: syn, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},           // drop it
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffff_ffff}, // all of it
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
			&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	})
	if err == nil {
		err = failed
	}
	return err
}
