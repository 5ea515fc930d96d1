//go:build unix

package remotetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// WaitGone waits until no process has text in its arguments. It fails the test after a
// minute.
func WaitGone(tb testing.TB, text string) {
	tb.Helper()
	for end := time.Now().Add(time.Minute); strings.Contains(Arguments(tb), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("a process with %s in its arguments is still there", text)
		}
	}
}

// Arguments returns the command lines of all processes of this host, one per line.
func Arguments(tb testing.TB) string {
	tb.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		tb.Error(err)
	}
	if len(files) == 0 { // not Linux
		out, err := exec.CommandContext(tb.Context(), "ps", "-A", "-o", "args=").Output()
		if err != nil {
			tb.Error(err)
		}
		return string(out)
	}
	var all strings.Builder
	for _, file := range files {
		text, _ := os.ReadFile(file) // the process may have ended
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}
