package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// goPackage is the output of go list for a package, or for its test binary.
type goPackage struct {
	Name       string
	ImportPath string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	Deps       []string
}

// goList runs go list, which prints packages as a sequence of JSON values.
func goList(ctx context.Context, dir string, args ...string) ([]goPackage, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %q: %w", args, err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		packages = append(packages, p)
	}
}

// listPackages returns the packages that match the patterns.
func listPackages(ctx context.Context, dir string, patterns []string) ([]goPackage, error) {
	return goList(ctx, dir, append([]string{"-json=Name,ImportPath,Dir,GoFiles,CgoFiles", "--"}, patterns...)...)
}

// testsOf returns the import paths of the packages among patterns that have tests
// whose binary contains pkg.
func testsOf(ctx context.Context, dir, pkg string, patterns []string) ([]string, error) {
	found, err := goList(ctx, dir, append([]string{"-test", "-json=Name,ImportPath,Deps", "--"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var tests []string
	for _, p := range found {
		tested, isTest := strings.CutSuffix(p.ImportPath, ".test")
		inTest := pkg + " [" + p.ImportPath + "]" // compiled with the files of its own test
		if isTest && p.Name == "main" && slices.ContainsFunc(p.Deps, func(dep string) bool { return dep == pkg || dep == inTest }) {
			tests = append(tests, tested)
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s: no tests in %q import it", pkg, patterns)
	}
	return tests, nil
}
