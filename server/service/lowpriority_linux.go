package service

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// lowest is the lowest priority of a process.
const lowest = 19

// The idle class of ioprio_set(2), of which x/sys has no constants.
const (
	ioprioWhoProcess = 1
	ioprioIdle       = 3 << 13
)

// runLow runs a command at the lowest priority for processor and disk, and as the first that
// the kernel ends when memory is short. If this process is killed, the command ends, too. A
// system that does not permit one of these is no reason to fail.
func runLow(c *exec.Cmd) error {
	done := make(chan error)
	go func() {
		// Priorities are those of a thread, which hands them on to what it starts; and the
		// signal is sent when the thread that started the command ends. So this thread is kept
		// until the command is done, and then ends with its goroutine.
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, lowest)
		_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, ioprioWhoProcess, 0, ioprioIdle)
		// Ctrl-C is for this process, which then ends the command.
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
		err := c.Start()
		if err == nil {
			_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", c.Process.Pid), []byte("1000"), 0)
			err = c.Wait()
		}
		done <- err
	}()
	return <-done
}
