//go:build unix && !linux

package service

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// runLow runs a command at the lowest priority for the processor. If the system refuses that, the
// command runs without it.
func runLow(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this process
	if err := c.Start(); err != nil {
		return err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, c.Process.Pid, 19)
	return c.Wait()
}
