package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsOfOnePlatform(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example.org/m\n\ngo 1.26\n",
		"m.go":               "package m\n",
		"m_darwin.go":        "package m\n\nvar a = missing\n",
		"m_freebsd_test.go":  "package m\n\nvar b = missing\n",
		"sub/sub_windows.go": "package sub\n\nimport \"golang.org/x/absent\"\n",
		"sub/sub.go":         "package sub\n",
		"vet/vet_openbsd.go": "package vet\n\nimport \"errors\"\n\nfunc f() { errors.New(\"lost\") }\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string]string{
		"linux_arm64":   "",
		"darwin_arm64":  "m_darwin.go:3:9: undefined: missing",
		"freebsd_amd64": "m_freebsd_test.go:3:9: undefined: missing",
		"windows_amd64": "no required module provides package golang.org/x/absent",
		"openbsd_amd64": "vet_openbsd.go:5:12: result of errors.New call not used",
		"linux":         "not a platform",
	} {
		err := check(platform, dir, "./...")
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", platform, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", platform, err, want)
		case err != nil && strings.Count(err.Error(), want) > 1:
			t.Errorf("%s: repeated: %v", platform, err)
		}
	}
}
