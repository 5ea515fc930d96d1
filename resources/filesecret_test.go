package resources_test

import (
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
	first := f.attr("content_wo_digest")

	// Another content is written when the version says so, not before.
	f.noChange(secret(path, "hullo\n", "1"))
	f.changes(secret(path, "hullo\n", "2"), "content_wo_digest", "content_wo_version")
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
	digest := f.attr("content_wo_digest")
	f.apply(secret(path, "hullo\n", "3"))
	if !os.SameFile(before, inode(t, path)) || !f.attr("content_wo_digest").RawEquals(digest) {
		t.Error("the same content was written again")
	}
	g := newFile(t)
	g.apply(secret(filepath.Join(filepath.Dir(path), "other"), "hello\n", "1"))
	if g.attr("content_wo_digest").RawEquals(first) {
		t.Error("two files with the same content have the same digest")
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
	f.changes(set, "content_wo_digest")
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
	f.changes(secret(path, "hello\n", "1"), "content", "content_wo_digest", "content_wo_version", "sha256", "size")
	f.apply(secret(path, "hello\n", "1"))
	wantNoTrace(t, f, "hello", helloSum)
	f.changes(open, "content", "content_wo_digest", "content_wo_version", "sha256", "size")
	f.apply(open)
	if !os.SameFile(before, inode(t, path)) {
		t.Error("the same content was written again")
	}
	f.wantAttrs(attrs{"sha256": str(helloSum), "content_wo_digest": cty.NullVal(cty.String)})
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
	schema := f.body.Attributes["content_wo"]
	if !schema.WriteOnly || !f.body.Attributes["content_wo_digest"].Sensitive {
		t.Error("the schema does not hide secrets")
	}
}

// A digest that was tampered with, or is of a scheme to come, is drift.
func TestSecretDigestThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, digest := range []string{"", "x", "pbkdf2-sha256$0$AAAA$", "pbkdf2-sha256$99999999999$AAAAAAAAAAAAAAAAAAAAAA$x", "pbkdf2-sha256$1$AA$x"} {
		f := newFile(t)
		path := filepath.Join(t.TempDir(), "file")
		set := secret(path, "hello\n", "1")
		f.apply(set)
		state := f.state.AsValueMap()
		state["content_wo_digest"] = str(digest)
		f.state = cty.ObjectVal(state)
		f.refresh()
		f.changes(set, "content_wo_digest")
		f.apply(set)
		wantFile(t, path, "hello\n", 0o600)
	}
}
