//go:build unix

package remotetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Variant is a kind of host that differs from others in what shell and what
// tools it has.
type Variant struct {
	Name    string
	Program string // without which there is none
	// New is a host of this kind; the test is skipped where its programs are missing.
	New func(tb testing.TB) *Starter
}

// Variants are the kinds that tests of what a shell is told should be run on:
// each has another program as its sh, and one has no tools but those of busybox.
func Variants() []Variant {
	return append([]Variant{{Name: "busybox alone", Program: "busybox", New: Busybox}}, withShells("dash", "bash", "busybox")...)
}

// RareVariants are further ones, for what each depends on.
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

// Busybox is a host that has nothing but busybox.
func Busybox(tb testing.TB) *Starter {
	tb.Helper()
	busybox := Need(tb, "busybox")
	dir := tb.TempDir()
	if out, err := exec.CommandContext(tb.Context(), busybox, "--install", "-s", dir).CombinedOutput(); err != nil {
		tb.Fatalf("busybox --install: %v: %s", err, out)
	}
	return &Starter{Shell: []string{filepath.Join(dir, "sh")}, Env: []string{"PATH=" + dir}}
}

// Need is where a program is. Without it the test is skipped, but for CI, where
// everything has to be there, and for the shells that hardly any host has.
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
