package published

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// ReplaceFuncs adds test files to the package in dir. Their functions replace those with the
// given names in the test files of the package, which are renamed to _, so that they are still
// compiled and their imports are still used. Each name must be declared there exactly once.
func ReplaceFuncs(dir string, names []string, files ...string) error {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	declared := map[string]int{}
	for _, test := range tests {
		source, err := os.ReadFile(test)
		if err != nil {
			return err
		}
		for _, name := range names {
			declaration := []byte("\nfunc " + name + "(")
			declared[name] += bytes.Count(source, declaration)
			source = bytes.ReplaceAll(source, declaration, []byte("\nfunc _("))
		}
		if err := os.WriteFile(test, source, 0o600); err != nil {
			return err
		}
	}
	for _, name := range names {
		if declared[name] != 1 {
			return fmt.Errorf("the tests in %s declare %s %d times, want once", dir, name, declared[name])
		}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
