package authoring_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/examples/authoring/zone"
)

// reader runs the commands of the guide and compares their output.
type reader struct {
	t       *testing.T
	home    string   // parent of the reader's directory
	session string   // file with the directory and environment of the shell, kept between blocks
	path    string   // PATH of the shell, as an environment entry
	env     []string // of the shell
	served  *acctest.Workdir
	seen    string // output of the last command
}

// TestGuide runs the guide: it creates a provider in an empty directory, applies the
// configurations with the complete provider of package zone, and compares the output.
func TestGuide(t *testing.T) {
	t.Parallel()
	cli := acctest.NeedsCLI(t)
	_, blocks := readGuide(t)
	bin := t.TempDir()
	if err := os.Symlink(cli.Path, filepath.Join(bin, "tofu")); err != nil { // the link has this name even if the command is Terraform
		t.Fatal(err)
	}
	home, path := t.TempDir(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH")
	r := &reader{
		t: t, home: home, path: path, session: filepath.Join(t.TempDir(), "session"),
		served: acctest.NewServedWorkdir(t, "zone", zone.New),
		// All modules come from this working tree and the module cache.
		env: append(os.Environ(), path, "HOME="+home,
			"GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "CHECKPOINT_DISABLE=1"),
	}
	for _, cache := range []string{"GOMODCACHE", "GOCACHE"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", cache).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, cache+"="+strings.TrimSpace(string(out)))
	}
	for _, b := range blocks {
		r.follow(b)
		if t.Failed() {
			return // later blocks depend on this one
		}
	}
}

// follow executes or checks one block.
func (r *reader) follow(b block) {
	r.t.Helper()
	switch {
	case b.is("go"), b.is("yaml"), b.is("json"):
		if name, ok := strings.CutPrefix(b.what[1], "first/"); ok {
			r.write(name, b.text)
		}
	case b.is("hcl", "provider.tf"):
		r.served.Write("provider.tf", b.text)
	case b.is("hcl", "apply"):
		r.served.Write("main.tf", b.text)
		r.seen = r.served.Do(nil, "apply", "-auto-approve", "-no-color").Output
		if left := r.served.Run("plan", "-detailed-exitcode", "-no-color"); left.Code != 0 {
			r.t.Errorf("%s: the plan after the apply ended with exit code %d, want 0:\n%s", b, left.Code, left.Output)
		}
	case b.is("hcl", "plan"):
		r.served.Write("main.tf", b.text)
		r.seen = r.served.Do([]int{0, 2}, "plan", "-detailed-exitcode", "-no-color").Output
	case b.is("hcl", "refuse"):
		r.served.Write("main.tf", b.text)
		r.seen = r.served.Do([]int{1}, "plan", "-no-color").Output
	case b.is("hcl", "terraform"): // needs Terraform or another provider; TestDocuments of package resources validates all but the state store
	case b.is("hcl"):
		r.write(b.what[1], b.text)
	case b.is("sh", "beside"): // in the directory of the served provider
		r.seen = r.shell(b, r.served.Dir, append(r.served.Command(r.t.Context()).Env, r.path), b.text)
	case b.is("sh", "untested"): // needs a network, a key or a name
	case b.is("sh"):
		r.seen = r.continued(b)
	case b.is("text"):
		r.compare(b)
	default:
		r.t.Errorf("%s has the unknown use %q", b, b.what)
	}
	if b.is("hcl") {
		r.formatted(b)
	}
}

// write writes a file in the reader's directory.
func (r *reader) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.home, "terraform-provider-zone", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

// continued runs a block in a shell with the directory and the environment variables of
// the previous block, and returns its output.
func (r *reader) continued(b block) string {
	r.t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		r.t.Fatal(err)
	}
	// The guide uses a published version; the test uses this working tree.
	replace := "go mod edit -replace github.com/posixform/terraform-provider-posix=" + root
	text := strings.Replace(b.text, "go mod init example.com/terraform-provider-zone\n", "go mod init example.com/terraform-provider-zone\n"+replace+"\n", 1)
	return r.shell(b, r.home, r.env, fmt.Sprintf("if [ -f %[1]s ]; then . %[1]s; fi\n%[2]s\n{ export -p; echo cd \"'$PWD'\"; } >%[1]s\n", r.session, text))
}

func (r *reader) shell(b block, dir string, env []string, script string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", b, err, out)
	}
	return string(out)
}

// compare checks that the last output contains the block. A line of three dots matches
// any text, and the frame around messages is ignored.
func (r *reader) compare(b block) {
	r.t.Helper()
	rest := plain(r.seen)
	for piece := range strings.SplitSeq("\n"+b.text, "\n...\n") {
		piece = plain(piece)
		_, after, found := strings.Cut(rest, piece)
		if !found {
			r.t.Errorf("%s has\n%s\nwhich is not in the output:\n%s", b, piece, plain(r.seen))
			return
		}
		rest = after
	}
}

var seconds = regexp.MustCompile(`after \d+s`)

// plain returns text without details that depend on the terminal, the host or the product.
func plain(text string) string {
	text = seconds.ReplaceAllString(text, "after 0s")
	lines := strings.Split(strings.NewReplacer("│ ", "", "│", "", "╷", "", "╵", "", "Terraform", "OpenTofu", "terraform", "tofu",
		"Opening complete", "Open complete", "Closing complete", "Close complete").Replace(text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// formatted checks that a configuration is formatted.
func (r *reader) formatted(b block) {
	r.t.Helper()
	cmd := r.served.Command(r.t.Context(), "fmt", "-")
	cmd.Stdin = strings.NewReader(b.text)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != b.text {
		r.t.Errorf("%s is not formatted (error %v), want:\n%s", b, err, out)
	}
}
