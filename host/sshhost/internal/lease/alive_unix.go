//go:build unix

package lease

import "syscall"

// alive says whether a process of this machine may still run.
func alive(pid int) bool {
	return pid > 0 && syscall.Kill(pid, 0) != syscall.ESRCH
}
