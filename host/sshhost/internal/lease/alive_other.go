//go:build !unix

package lease

import "os"

// alive reports whether a process of this host may still run.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // only looked up
	return true
}
