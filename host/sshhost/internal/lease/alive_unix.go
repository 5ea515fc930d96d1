//go:build unix

package lease

import "syscall"

// alive reports whether a process of this host may still run.
func alive(pid int) bool {
	return pid > 0 && syscall.Kill(pid, 0) != syscall.ESRCH
}
