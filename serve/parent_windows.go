package serve

import "os"

// parentEnded returns a channel that is closed when the parent process has ended. It is
// never closed if that process cannot be opened.
func parentEnded() <-chan struct{} {
	ended := make(chan struct{})
	parent, err := os.FindProcess(os.Getppid())
	if err != nil {
		return ended
	}
	go func() {
		if _, err := parent.Wait(); err == nil {
			close(ended)
		}
	}()
	return ended
}

// removeSocket does nothing: on Windows, go-plugin listens on a TCP port.
func removeSocket() {}
