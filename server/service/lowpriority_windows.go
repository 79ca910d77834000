package service

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// runLow runs a command only when nothing else wants the processor.
func runLow(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.IDLE_PRIORITY_CLASS}
	return c.Run()
}
