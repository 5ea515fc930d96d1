// Command crosscheck type-checks and vets packages and their tests for other platforms:
//
//	crosscheck darwin_arm64,windows_amd64 ./...
//
// It reads dependencies as source. "go vet" with GOOS has to compile them, which takes most of its time after a change.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/packages"
)

// analyzers are some of the analyzers of "go vet".
var analyzers = []*analysis.Analyzer{
	copylock.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer, printf.Analyzer, structtag.Analyzer, unmarshal.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer,
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: crosscheck GOOS_GOARCH[,GOOS_GOARCH...] PACKAGE...")
		os.Exit(2)
	}
	failed := false
	for platform := range strings.SplitSeq(os.Args[1], ",") {
		if err := check(platform, "", os.Args[2:]...); err != nil {
			fmt.Fprintf(os.Stderr, "%s:\n%v\n", platform, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check returns all errors of the packages that match patterns in dir, and of what they import, on the platform
// GOOS_GOARCH without cgo. If there are none, it returns the findings of the analyzers.
func check(platform, dir string, patterns ...string) error {
	system, architecture, ok := strings.Cut(platform, "_")
	if !ok {
		return errors.New("not a platform: expected GOOS_GOARCH, for example darwin_arm64")
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Tests: true,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return err
	}
	var errs []error
	seen := map[string]bool{}
	add := func(err error) { // A package and its test variant have the same errors.
		if text := err.Error(); !seen[text] {
			seen[text] = true
			errs = append(errs, err)
		}
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			add(e)
		}
	})
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	graph, err := checker.Analyze(analyzers, loaded, nil)
	if err != nil {
		return err
	}
	for action := range graph.All() {
		if !action.IsRoot {
			continue
		}
		if action.Err != nil {
			add(action.Err)
		}
		for _, d := range action.Diagnostics {
			add(fmt.Errorf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	return errors.Join(errs...)
}
