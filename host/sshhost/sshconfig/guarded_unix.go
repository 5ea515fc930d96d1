//go:build unix

package sshconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// guarded reports whether a file is written by this user and root alone.
func guarded(info fs.FileInfo) bool {
	if info.Mode().Perm()&0o022 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Getuid())
}
