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

// runLow runs a command at the lowest priority for processor and disk. If memory is short, the
// kernel ends it first. If this process is killed, the command ends too. If the system refuses one
// of these settings, the command runs without it.
func runLow(c *exec.Cmd) error {
	done := make(chan error)
	go func() {
		// A priority belongs to a thread, and its children inherit it. The kernel sends the
		// signal when the thread that started the command ends. So this goroutine keeps its
		// thread until the command is done, and the thread ends with the goroutine.
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
