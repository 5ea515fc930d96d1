//go:build unix

package sshconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// guarded reports whether only this user and root can write the file.
func guarded(info fs.FileInfo) bool {
	if info.Mode().Perm()&0o022 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Getuid())
}
