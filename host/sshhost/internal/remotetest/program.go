package remotetest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a program that can be started at once. A process that another
// goroutine starts has the file open for writing until it is another program, and
// the kernel starts no program that is open for writing: none is started meanwhile.
func WriteProgram(tb testing.TB, path, text string) {
	tb.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		tb.Fatal(err)
	}
}
