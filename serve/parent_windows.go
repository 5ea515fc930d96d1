package serve

import "os"

// parent is the parent process at the start of this process. It may end before the provider is built.
var parent, errParent = os.FindProcess(os.Getppid())

// parentEnded returns a channel that is closed when the parent process has ended. It is
// never closed if the parent process could not be opened or waited for.
func parentEnded() <-chan struct{} {
	ended := make(chan struct{})
	if errParent != nil {
		return ended
	}
	go func() {
		if _, err := parent.Wait(); err == nil {
			close(ended)
		}
	}()
	return ended
}

// clientEnded returns false: on Windows, the end of the client before the start of this process is
// not detected.
func clientEnded() bool { return false }

// removeSocket does nothing: on Windows, go-plugin listens on a TCP port.
func removeSocket() {}
