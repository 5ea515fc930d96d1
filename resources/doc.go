// Package resources is the posix provider: its configuration and its resource types.
//
// The command serves the provider that [New] returns. The provider's configuration is
// package hosts. Each resource type is in a package below this one, wrapped by package
// lifecycle. These packages share address (names and paths), access (mode and owner), hostpath
// (operations on paths), remotecmd (commands on hosts), textedit (edits of text files),
// dropin (files in drop-in directories), mounttable (mount points) and glob (patterns).
//
// Invariants: no package below this one depends on the protocol; all of them work on the files
// of a host only through package host.
//
// Elsewhere: package runtime derives schemas and plans from structs.
package resources

//go:generate go generate ./account ./actions ./lifecycle ./block ./command ./filecontent ./cron ./directory ./file ./functions ./hostname ./hosts ./directorylist ./hostinfo ./mount ./service ./packages ./sshkey ./sudoers ./symlink ./sysctl ./address ./tree ./tunnel
//go:generate go run ../internal/cmd/registrydocs -root ..
