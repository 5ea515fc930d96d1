package resources_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

func secret(path, content, version string) attrs {
	return attrs{"path": str(path), "content_wo": str(content), "content_wo_version": str(version), "mode": str("0600")}
}

// wantNoTrace wants nothing of a secret in what is stored.
func wantNoTrace(t *testing.T, f *object, words ...string) {
	t.Helper()
	raw, err := ctyjson.Marshal(f.state, f.body.ImpliedType())
	if err != nil {
		t.Fatal(err)
	}
	var private struct{ Applied json.RawMessage }
	if len(f.private) > 0 {
		if err := json.Unmarshal(f.private, &private); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range words {
		if strings.Contains(string(raw)+string(private.Applied)+string(f.private), w) {
			t.Errorf("%q is stored: %s %s", w, raw, f.private)
		}
	}
	f.wantAttrs(attrs{"sha256": cty.NullVal(cty.String), "size": cty.NullVal(cty.Number), "content": cty.NullVal(cty.String), "content_wo": cty.NullVal(cty.String)})
}

func TestSecretLifecycle(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.apply(secret(path, "hello\n", "1"))
	wantFile(t, path, "hello\n", 0o600)
	wantNoTrace(t, f, "hello", helloSum)
	first := f.private

	// Another content is written when the version says so, not before.
	f.noChange(secret(path, "hullo\n", "1"))
	f.changes(secret(path, "hullo\n", "2"), "content_wo_version")
	f.apply(secret(path, "hullo\n", "2"))
	wantFile(t, path, "hullo\n", 0o600)

	// Not by a change of something else either.
	set := secret(path, "not yet\n", "2")
	set["mode"] = str("0640")
	f.changes(set, "mode")
	f.apply(set)
	wantFile(t, path, "hullo\n", 0o640)

	// The same content again has the same trace, and another file another.
	before := inode(t, path)
	left := f.private
	f.apply(secret(path, "hullo\n", "3"))
	if !os.SameFile(before, inode(t, path)) || !bytes.Equal(f.private, left) {
		t.Error("the same content was written again")
	}
	g := newFile(t)
	g.apply(secret(filepath.Join(filepath.Dir(path), "other"), "hello\n", "1"))
	if len(first) == 0 || bytes.Equal(g.private, first) {
		t.Error("two files with the same content left the same trace, or none")
	}
}

func TestSecretDrift(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	set := secret(path, "hello\n", "1")
	f.apply(set)
	write(t, path, "other secret\n", 0o600)
	f.refresh()
	wantNoTrace(t, f, "hello", "other", helloSum)
	f.changes(set, "content_wo_intact")
	f.apply(set)
	wantFile(t, path, "hello\n", 0o600)
	wantNoTrace(t, f, "hello", helloSum)

	// Drift of the mode alone leaves the content alone.
	before := inode(t, path)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	f.apply(set)
	wantFile(t, path, "hello\n", 0o600)
	if !os.SameFile(before, inode(t, path)) {
		t.Error("written anew")
	}
}

func TestSecretFromAndToContent(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	open := attrs{"path": str(path), "content": str("hello\n"), "mode": str("0600")}
	f.apply(open)
	before := inode(t, path)
	f.changes(secret(path, "hello\n", "1"), "content", "content_wo_intact", "content_wo_version", "sha256", "size")
	f.apply(secret(path, "hello\n", "1"))
	wantNoTrace(t, f, "hello", helloSum)
	f.changes(open, "content", "content_wo_intact", "content_wo_version", "sha256", "size")
	f.apply(open)
	if !os.SameFile(before, inode(t, path)) {
		t.Error("the same content was written again")
	}
	f.wantAttrs(attrs{"sha256": str(helloSum), "content_wo_intact": cty.NullVal(cty.Bool)})
	if len(f.private) != 0 {
		t.Errorf("the trace of a secret that is none any more is kept: %s", f.private)
	}
}

func TestSecretThatExists(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "hello\n", 0o600)
	diags := f.plan(secret(path, "secret words\n", "1")).Diagnostics
	wantError(t, diags, "path", "exists already")
	if strings.Contains(diags.Error(), "secret words") {
		t.Error("the error tells the secret")
	}
	before := inode(t, path)
	f.apply(secret(path, "hello\n", "1"))
	if !os.SameFile(before, inode(t, path)) {
		t.Error("identical content was written")
	}
	wantNoTrace(t, f, "hello", helloSum)

	// A client that cannot keep write-only values is told so.
	if !f.body.Attributes["content_wo"].WriteOnly {
		t.Error("the schema does not hide secrets")
	}
}

// A trace that was tampered with, or is of a scheme to come, is drift.
func TestSecretTraceThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"", "x", "pbkdf2-sha256$0$AAAA$", "pbkdf2-sha256$99999999999$AAAAAAAAAAAAAAAAAAAAAA$x", "pbkdf2-sha256$1$AA$x"} {
		f := newFile(t)
		path := filepath.Join(t.TempDir(), "file")
		set := secret(path, "hello\n", "1")
		f.apply(set)
		private, err := json.Marshal(map[string]any{"data": map[string][]byte{"content_wo": []byte(left)}})
		if err != nil {
			t.Fatal(err)
		}
		f.private = private
		f.refresh()
		f.changes(set, "content_wo_intact")
		f.apply(set)
		wantFile(t, path, "hello\n", 0o600)
	}
}
