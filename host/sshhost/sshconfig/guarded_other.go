//go:build !unix

package sshconfig

import "io/fs"

// guarded always returns true: this operating system has access control lists instead of modes.
func guarded(fs.FileInfo) bool { return true }
