package authoring_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unmentioned has exported names of package runtime that the guide need not mention, with
// the reasons.
var unmentioned = map[string]string{
	"Known": "a constructor of Value", "Null": "a constructor of Value", "Unknown": "a constructor of Value",
	"RetryTries": "an option", "RetryDelays": "an option",
	"Descriptions": "the method is generated",
}

// TestGuideIsComplete checks that the guide mentions the exported functions of package
// runtime and the methods of its exported interfaces, except those named …With and those in unmentioned.
func TestGuideIsComplete(t *testing.T) {
	t.Parallel()
	text, _ := readGuide(t)
	names, err := filepath.Glob("../../runtime/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	check := func(name *ast.Ident) {
		if !name.IsExported() || unmentioned[name.Name] != "" || strings.HasSuffix(name.Name, "With") {
			return
		}
		found++
		if !regexp.MustCompile(`\b` + name.Name + `\b`).MatchString(text) {
			t.Errorf("the guide does not mention %s", name.Name)
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for node := range ast.Preorder(file) {
			switch node := node.(type) {
			case *ast.FuncDecl:
				if node.Recv == nil {
					check(node.Name)
				}
			case *ast.TypeSpec:
				if power, ok := node.Type.(*ast.InterfaceType); ok && node.Name.IsExported() {
					for _, method := range power.Methods.List {
						for _, name := range method.Names {
							check(name)
						}
					}
				}
			}
		}
	}
	if found < 50 {
		t.Fatalf("found only %d exported names, want at least 50", found)
	}
}

// anchors returns the anchors of the headings of a text below its title, such as
// "#timeouts".
func anchors(text string) map[string]bool {
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^##+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchor := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		headings["#"+strings.ReplaceAll(anchor, " ", "-")] = true
	}
	return headings
}

// TestLinks checks that the targets of the guide's links within the repository exist.
func TestLinks(t *testing.T) {
	t.Parallel()
	text, _ := readGuide(t)
	text = regexp.MustCompile("(?s)```.*?```|`[^`]*`").ReplaceAllString(text, "")
	headings := anchors(text)
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1)
	if len(links) < 20 {
		t.Fatalf("found only %d links, want at least 20", len(links))
	}
	for _, m := range links {
		if strings.HasPrefix(m[1], "https://") {
			continue
		}
		file, anchor, hasAnchor := strings.Cut(m[1], "#")
		known := headings
		if file != "" {
			if _, err := os.Stat(filepath.Join("../../docs", file)); err != nil {
				t.Error(err)
			}
			page, _ := os.ReadFile(filepath.Join("../../docs", file)) // a directory has no headings
			known = anchors(string(page))
		}
		if hasAnchor && !known["#"+anchor] {
			t.Errorf("no heading matches the link %s", m[1])
		}
	}
}

// TestPublish checks the release configuration in the guide with the GoReleaser that this
// repository uses.
func TestPublish(t *testing.T) {
	t.Parallel()
	releaser, err := filepath.Abs("../../.cache/bin/goreleaser")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(releaser); err != nil {
		t.Skipf("run make snapshot to build goreleaser: %v", err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".goreleaser.yml"), []byte(source(t, "publish/goreleaser.yml")), 0o600); err != nil {
		t.Fatal(err)
	}
	run("git", "init", "-q")
	run("git", "remote", "add", "origin", "https://github.com/example/terraform-provider-zone")
	run(releaser, "check")
}
