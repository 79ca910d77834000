package service

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// runLow runs a command at the priority for idle time.
func runLow(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.IDLE_PRIORITY_CLASS}
	return c.Run()
}
