//go:build !windows

package serve

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// parentPeriod is the time between two checks of the parent process.
const parentPeriod = time.Second

// parent is the ID of the parent process at the start of this process. The parent may end before
// the provider is built.
var parent = os.Getppid()

// parentEnded returns a channel that is closed when the parent process has ended. On all Unix
// systems, a process then gets a new parent. PR_SET_PDEATHSIG exists only on Linux, and its signal
// is sent at the end of the thread that started the process.
func parentEnded() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		for os.Getppid() == parent {
			time.Sleep(parentPeriod)
		}
		close(ended)
	}()
	return ended
}

// clientEnded reports whether no process reads the standard output of this process. The client reads
// this output as long as it runs. The client may end even before this process gets the ID of its parent, for
// example while the program is loaded.
func clientEnded() bool {
	stdout := []unix.PollFd{{Fd: 1}}
	_, err := unix.Poll(stdout, 0)
	return err == nil && stdout[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// maxDescriptor limits the search for the socket, whose descriptor is low because it is opened early.
const maxDescriptor = 1024

// removeSocket removes the file of the socket on which go-plugin listens. go-plugin removes it only
// if the client ends this process with a request, and does not return its path.
func removeSocket() {
	for fd := range maxDescriptor {
		address, err := syscall.Getsockname(fd)
		if err != nil {
			continue // not a socket
		}
		if local, ok := address.(*syscall.SockaddrUnix); ok && strings.HasPrefix(filepath.Base(local.Name), "plugin") {
			_ = os.Remove(local.Name) // accepted connections have the same address
		}
	}
}
