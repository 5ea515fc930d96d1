package file_test

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/file"
)

func secret(path, content, version string) attrs {
	return attrs{"path": str(path), "content_wo": str(content), "content_wo_version": str(version), "mode": str("0600")}
}

// wantNotStored checks that neither the state nor the private data contains any of texts, and that the attributes of
// the content are null.
func wantNotStored(t *testing.T, f *resourcetest.Object, texts ...string) {
	t.Helper()
	raw, err := ctyjson.Marshal(f.State, f.Body.ImpliedType())
	if err != nil {
		t.Fatal(err)
	}
	var private struct{ Applied json.RawMessage }
	if len(f.Private) > 0 {
		if err := json.Unmarshal(f.Private, &private); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range texts {
		if strings.Contains(string(raw)+string(private.Applied)+string(f.Private), w) {
			t.Errorf("%q is stored: %s %s", w, raw, f.Private)
		}
	}
	f.WantAttrs(attrs{"sha256": cty.NullVal(cty.String), "content": cty.NullVal(cty.String), "content_wo": cty.NullVal(cty.String)})
}

func TestSecretLifecycle(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.Apply(secret(path, "hello\n", "1"))
	resourcetest.WantFile(t, path, "hello\n", 0o600)
	wantNotStored(t, f, "hello", helloSum)
	first := f.Private

	// New content is written when the version changes, not before.
	f.NoChange(secret(path, "hullo\n", "1"))
	f.Changes(secret(path, "hullo\n", "2"), "content_wo_version")
	f.Apply(secret(path, "hullo\n", "2"))
	resourcetest.WantFile(t, path, "hullo\n", 0o600)

	// A change of another attribute does not write new content either.
	set := secret(path, "not yet\n", "2")
	set["mode"] = str("0640")
	f.Changes(set, "mode")
	f.Apply(set)
	resourcetest.WantFile(t, path, "hullo\n", 0o640)

	// The same content keeps its digest; a second file with the same content has a different digest.
	before := resourcetest.Inode(t, path)
	left := f.Private
	f.Apply(secret(path, "hullo\n", "3"))
	if !os.SameFile(before, resourcetest.Inode(t, path)) || !bytes.Equal(f.Private, left) {
		t.Error("the same content was written again, or its digest has changed")
	}
	g := newFile(t)
	g.Apply(secret(filepath.Join(filepath.Dir(path), "other"), "hello\n", "1"))
	if len(first) == 0 || bytes.Equal(g.Private, first) {
		t.Error("two files with the same content have the same digest, or none")
	}
}

// driftedSecret returns a file whose content_wo has drifted, after a refresh, with its path and arguments.
func driftedSecret(t *testing.T) (f *resourcetest.Object, path string, set attrs) {
	t.Helper()
	f, path = newFile(t), filepath.Join(t.TempDir(), "file")
	set = secret(path, "hello\n", "1")
	f.Apply(set)
	resourcetest.Write(t, path, "other secret\n", 0o600)
	f.Refresh()
	return f, path, set
}

func TestSecretDrift(t *testing.T) {
	t.Parallel()
	f, path, set := driftedSecret(t)
	wantNotStored(t, f, "hello", "other", helloSum)
	f.Changes(set, "content_wo_version")
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello\n", 0o600)
	wantNotStored(t, f, "hello", helloSum)

	// The repair of a drifted mode does not write the content.
	before := resourcetest.Inode(t, path)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello\n", 0o600)
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("the content was written again")
	}
}

// TestSecretDriftWithLostDigest checks that the SHA-256 of drifted content is not stored if the private data is lost as well,
// as when the provider is killed during the apply that repairs the file.
func TestSecretDriftWithLostDigest(t *testing.T) {
	t.Parallel()
	f, path, set := driftedSecret(t)
	f.Private = nil
	for range 2 {
		f.Refresh()
		wantNotStored(t, f, "hello", "other", helloSum)
		f.Changes(set, "content_wo_version")
	}
	f.Apply(set)
	resourcetest.WantFile(t, path, "hello\n", 0o600)
	wantNotStored(t, f, "hello", helloSum)
}

func TestSecretFromAndToContent(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	open := attrs{"path": str(path), "content": str("hello\n"), "mode": str("0600")}
	f.Apply(open)
	before := resourcetest.Inode(t, path)
	f.Changes(secret(path, "hello\n", "1"), "content", "content_wo_version", "sha256")
	f.Apply(secret(path, "hello\n", "1"))
	wantNotStored(t, f, "hello", helloSum)
	f.Changes(open, "content", "content_wo_version", "sha256")
	f.Apply(open)
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("the same content was written again")
	}
	f.WantAttrs(attrs{"sha256": str(helloSum)})
	if !onlyStamp(f.Private) {
		t.Errorf("the digest is kept for content that is no longer write-only: %s", f.Private)
	}
}

func TestSecretThatExists(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	resourcetest.Write(t, path, "hello\n", 0o600)
	diags := f.Plan(secret(path, "secret words\n", "1")).Diagnostics
	resourcetest.WantError(t, diags, "path", "already exists")
	if strings.Contains(diags.Error(), "secret words") {
		t.Error("the error contains the secret")
	}
	before := resourcetest.Inode(t, path)
	f.Apply(secret(path, "hello\n", "1"))
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("identical content was written")
	}
	wantNotStored(t, f, "hello", helloSum)

	if !f.Body.Attributes["content_wo"].WriteOnly {
		t.Error("content_wo is not write-only")
	}
}

// TestSecretInvalidDigest checks that a stored digest that is invalid or lost is drift, and that neither the SHA-256
// nor the size of the content is stored then, even if the file is read again before it is written.
func TestSecretInvalidDigest(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"", "x", "pbkdf2-sha256$0$AAAA$", "pbkdf2-sha256$99999999999$AAAAAAAAAAAAAAAAAAAAAA$x", "pbkdf2-sha256$1$AA$x"} {
		f := newFile(t)
		path := filepath.Join(t.TempDir(), "file")
		set := secret(path, "hello\n", "1")
		f.Apply(set)
		private, err := json.Marshal(map[string]any{"data": map[string][]byte{"content_wo": []byte(left)}})
		if err != nil {
			t.Fatal(err)
		}
		f.Private = private
		for range 2 {
			f.Refresh()
			wantNotStored(t, f, "hello", helloSum)
			var kept struct{ Data map[string][]byte }
			resourcetest.Must(t, json.Unmarshal(f.Private, &kept))
			if stamp := string(kept.Data["stamp"]); !strings.HasPrefix(stamp, "-1 ") {
				t.Errorf("the private data has the size of the content: stamp %q, want -1", stamp)
			}
			f.Changes(set, "content_wo_version")
		}
		f.Apply(set)
		resourcetest.WantFile(t, path, "hello\n", 0o600)
	}
}

// TestSecretRounds checks that a digest with the 10,000 rounds of older versions remains valid, and that
// the next content_wo_version replaces it with one that has the current number of rounds, which is, outside of tests,
// as many as OWASP recommends for PBKDF2-HMAC-SHA256.
func TestSecretRounds(t *testing.T) {
	t.Parallel()
	if secretRounds != 600_000 {
		t.Errorf("new digests have %d rounds, want 600000", secretRounds)
	}
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	f.Apply(secret(path, "hello\n", "1"))
	salt, sum := make([]byte, 16), sha256.Sum256([]byte("hello\n"))
	key, err := pbkdf2.Key(sha256.New, string(sum[:]), salt, 10_000, sha256.Size)
	resourcetest.Must(t, err)
	enc := base64.RawStdEncoding.EncodeToString
	f.Private, err = json.Marshal(map[string]any{"data": map[string][]byte{"content_wo": []byte("pbkdf2-sha256$10000$" + enc(salt) + "$" + enc(key))}})
	resourcetest.Must(t, err)
	f.Refresh()
	f.NoChange(secret(path, "hello\n", "1"))
	f.Apply(secret(path, "hello\n", "2"))
	var private struct{ Data map[string][]byte }
	resourcetest.Must(t, json.Unmarshal(f.Private, &private))
	if digest := string(private.Data["content_wo"]); !strings.HasPrefix(digest, fmt.Sprintf("pbkdf2-sha256$%d$", file.SecretRounds)) {
		t.Errorf("the digest is %s, want a digest with %d rounds", digest, file.SecretRounds)
	}
	f.Refresh()
	f.NoChange(secret(path, "hello\n", "2"))
}

// TestSecretMode checks that only the owner can read write-only content, unless a mode is configured.
func TestSecretMode(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "file")
	secret := attrs{"path": str(path), "content_wo": str("hunter2\n"), "content_wo_version": str("1")}
	plan := f.Plan(secret)
	resourcetest.NoErrors(t, plan.Diagnostics)
	if mode := plan.PlannedState.GetAttr("mode"); !mode.RawEquals(str("0600")) {
		t.Errorf("mode is planned as %#v, want 0600", mode)
	}
	resourcetest.NoErrors(t, f.ApplyPlan(secret, plan))
	resourcetest.WantFile(t, path, "hunter2\n", 0o600)
	f.NoChange(secret)
	open := attrs{"path": str(path), "content": str("hello\n")}
	f.Apply(open)
	resourcetest.WantFile(t, path, "hello\n", 0o644)
	f.Changes(secret, "content", "content_wo_version", "mode", "sha256")
	f.Apply(secret)
	resourcetest.WantFile(t, path, "hunter2\n", 0o600)
	secret["mode"] = str("0640")
	f.Changes(secret, "mode")
	f.Apply(secret)
	resourcetest.WantMode(t, path, 0o640)
}
