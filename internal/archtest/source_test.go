package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// root is the directory of the repository.
const root = "../.."

// goFile is the information about a Go file that tests need.
type goFile struct {
	path      string // slash-separated, below the root
	test      bool
	generated bool
	imports   []string
	comment   string // the package comment
}

// goPackage is a directory with Go files of this module.
type goPackage struct {
	dir   string
	files []goFile
}

// files returns the existing files that git tracks, and the untracked files that git does not ignore. It
// skips the test outside a repository.
func files(tb testing.TB) []string {
	tb.Helper()
	if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil {
		tb.Skipf("not in a git repository: %v", err)
	}
	cmd := exec.CommandContext(tb.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil { // for example, because another user owns the repository
		tb.Fatalf("git ls-files: %v: %s", err, &stderr)
	}
	names := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	return slices.DeleteFunc(names, func(name string) bool { // removed, but still tracked
		_, err := os.Lstat(filepath.Join(root, name))
		return err != nil
	})
}

// packages returns the packages of the root module, sorted by directory.
func packages(tb testing.TB) []goPackage {
	tb.Helper()
	parsed, err := parse()
	if err != nil {
		tb.Fatal(err)
	}
	return parsed
}

var parse = sync.OnceValues(func() ([]goPackage, error) {
	var found []goPackage
	err := fs.WalkDir(os.DirFS(root), ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if dir != "." && (strings.HasPrefix(name, ".") || name == "testdata" || hasModule(dir)) {
			return fs.SkipDir
		}
		p := goPackage{dir: dir}
		matches, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return err
		}
		for _, name := range matches {
			file, err := parseFile(dir, name)
			if err != nil {
				return err
			}
			p.files = append(p.files, file)
		}
		if len(p.files) > 0 {
			found = append(found, p)
		}
		return nil
	})
	return found, err
})

func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(root, dir, "go.mod"))
	return err == nil
}

func parseFile(dir, name string) (goFile, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return goFile{}, err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return goFile{}, err
	}
	file := goFile{
		path:      path.Join(dir, filepath.Base(name)),
		test:      strings.HasSuffix(name, "_test.go"),
		generated: ast.IsGenerated(syntax),
		comment:   syntax.Doc.Text(),
	}
	for _, spec := range syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return goFile{}, err
		}
		file.imports = append(file.imports, importPath)
	}
	return file, nil
}

var (
	// markdownLink matches a link or an image; the text after # is an anchor.
	markdownLink = regexp.MustCompile(`\]\(([^()\s#]+)(#[^()\s]*)?\)`)
	code         = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
)

// TestLinks checks that relative links in Markdown files lead to existing files or directories.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		if path.Ext(file) != ".md" || strings.Contains(file, "testdata/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range markdownLink.FindAllStringSubmatch(code.ReplaceAllString(string(content), ""), -1) {
			if target := m[1]; !strings.Contains(target, ":") {
				if _, err := os.Stat(filepath.Join(root, path.Dir(file), target)); err != nil {
					t.Errorf("%s links to %s: %v", file, target, err)
				}
			}
		}
	}
}
