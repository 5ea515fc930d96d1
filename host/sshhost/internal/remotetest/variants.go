//go:build unix

package remotetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Variant is a kind of host, with a certain shell and certain tools.
type Variant struct {
	Name    string
	Program string // required program
	// New returns a host of this kind. It skips the test if the program is missing.
	New func(tb testing.TB) *Starter
}

// Variants returns the kinds of hosts that shell scripts should be tested on: with
// different programs as sh, and one with the tools of busybox only.
func Variants() []Variant {
	return append([]Variant{{Name: "busybox alone", Program: "busybox", New: Busybox}}, withShells("dash", "bash", "busybox")...)
}

// RareVariants returns further kinds, for scripts that depend on more than usual.
func RareVariants() []Variant { return withShells("mksh", "ksh") }

func withShells(shells ...string) []Variant {
	var variants []Variant
	for _, shell := range shells {
		variants = append(variants, Variant{Name: shell, Program: shell, New: func(tb testing.TB) *Starter {
			tb.Helper()
			dir := tb.TempDir()
			link(tb, Need(tb, shell), filepath.Join(dir, "sh"))
			return &Starter{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}}
		}})
	}
	return variants
}

// Busybox returns a host that has only the tools of busybox.
func Busybox(tb testing.TB) *Starter {
	tb.Helper()
	busybox := Need(tb, "busybox")
	dir := tb.TempDir()
	if out, err := exec.CommandContext(tb.Context(), busybox, "--install", "-s", dir).CombinedOutput(); err != nil {
		tb.Fatalf("busybox --install: %v: %s", err, out)
	}
	return &Starter{Shell: []string{filepath.Join(dir, "sh")}, Env: []string{"PATH=" + dir}}
}

// Need returns the path of a program. If it is missing, the test is skipped; in CI it
// fails, except for shells that hardly any host has.
func Need(tb testing.TB, program string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	switch program {
	case "dash", "bash", "busybox", "sudo":
		if os.Getenv("CI") != "" {
			tb.Fatalf("%s is missing: install the package %s", program, program)
		}
	}
	tb.Skipf("%s is missing: install the package %s to run this test", program, program)
	return ""
}

func link(tb testing.TB, target, path string) {
	tb.Helper()
	if err := os.Symlink(target, path); err != nil {
		tb.Fatal(err)
	}
}

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
