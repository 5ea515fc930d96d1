package remotetest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a program that can be executed at once. A process forked by another
// goroutine could inherit the file open for writing, and the kernel refuses to execute such
// a file (ETXTBSY); so no process is forked during the write.
func WriteProgram(tb testing.TB, path, text string) {
	tb.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		tb.Fatal(err)
	}
}
