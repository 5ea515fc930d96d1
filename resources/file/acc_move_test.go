package file_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// localProvider returns a provider with the types of hashicorp/local. Both types have the attributes of local_file,
// which include those of local_sensitive_file.
func localProvider() resourcetest.Former {
	attrs := map[string]*configschema.Attribute{
		"filename": {Type: cty.String, Required: true},
	}
	for _, name := range []string{"content", "content_base64", "directory_permission", "file_permission", "sensitive_content", "source"} {
		attrs[name] = &configschema.Attribute{Type: cty.String, Optional: true, Computed: strings.HasSuffix(name, "_permission")}
	}
	for _, name := range []string{"content_base64sha256", "content_base64sha512", "content_md5", "content_sha1", "content_sha256", "content_sha512", "id"} {
		attrs[name] = &configschema.Attribute{Type: cty.String, Computed: true}
	}
	schema := provider.Schema{Body: &configschema.Block{Attributes: attrs}}
	return resourcetest.Former{Types: map[string]provider.Schema{"local_file": schema, "local_sensitive_file": schema}}
}

// addLocal adds an object to s in the form in which hashicorp/local 2.5 stores it.
func addLocal(s *resourcetest.RecordedState, typeName, name string, content []byte, attrs map[string]any) {
	md, s1, s256, s512 := md5.Sum(content), sha1.Sum(content), sha256.Sum256(content), sha512.Sum512(content)
	all := map[string]any{
		"content": nil, "content_base64": nil, "source": nil, "sensitive_content": nil,
		"content_md5": hex.EncodeToString(md[:]), "content_sha1": hex.EncodeToString(s1[:]), "id": hex.EncodeToString(s1[:]),
		"content_sha256": hex.EncodeToString(s256[:]), "content_base64sha256": base64.StdEncoding.EncodeToString(s256[:]),
		"content_sha512": hex.EncodeToString(s512[:]), "content_base64sha512": base64.StdEncoding.EncodeToString(s512[:]),
		"directory_permission": "0777", "file_permission": map[string]string{"local_file": "0777", "local_sensitive_file": "0700"}[typeName],
	}
	if typeName == "local_sensitive_file" {
		delete(all, "sensitive_content")
	}
	maps.Copy(all, attrs)
	var sensitive []string
	if typeName == "local_sensitive_file" {
		sensitive = []string{"content"}
	}
	s.Add("hashicorp/local", typeName, name, 0, all, sensitive...)
}

// TestAccMoved moves objects from hashicorp/local with moved blocks, and checks that no
// unchanged file is written, and that the old provider is not needed afterwards.
func TestAccMoved(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	// Terraform needs the schema of the old provider to read the state.
	withdraw := w.Serve("hashicorp/local", localProvider().New)
	dir, source := resourcetest.TempDir(t), filepath.Join(resourcetest.TempDir(t), "source")
	at := func(name string) string { return filepath.Join(dir, name) }
	relative, err := filepath.Rel(w.Dir, at("relative"))
	resourcetest.Must(t, err)
	bytes := []byte{0, 0xff, 0}
	resourcetest.Must(t,
		resourcetest.Put(at("plain"), "plain\n", 0o777), resourcetest.Put(at("mode"), "mode\n", 0o640), resourcetest.Put(at("bytes"), string(bytes), 0o755),
		resourcetest.Put(at("sensitive"), "sensitive\n", 0o700), resourcetest.Put(at("old_sensitive"), "old sensitive\n", 0o777),
		resourcetest.Put(source, "copied\n", 0o600), resourcetest.Put(at("copied"), "copied\n", 0o777), resourcetest.Put(at("relative"), "relative\n", 0o644),
		resourcetest.Put(at("changed"), "changed since\n", 0o644), resourcetest.Put(at("each_a"), "a\n", 0o600),
	)
	names := []string{"plain", "mode", "bytes", "sensitive", "old_sensitive", "copied", "relative", "each_a"}
	before := resourcetest.Inodes(t, dir, append(names, "changed")...)

	var s resourcetest.RecordedState
	addLocal(&s, "local_file", "plain", []byte("plain\n"), map[string]any{"filename": at("plain"), "content": "plain\n"})
	addLocal(&s, "local_file", "mode", []byte("mode\n"), map[string]any{"filename": at("mode"), "content": "mode\n", "file_permission": "640"})
	addLocal(&s, "local_file", "bytes", bytes, map[string]any{"filename": at("bytes"), "content_base64": "AP8A", "file_permission": "0755"})
	addLocal(&s, "local_sensitive_file", "sensitive", []byte("sensitive\n"), map[string]any{"filename": at("sensitive"), "content": "sensitive\n"})
	addLocal(&s, "local_file", "old_sensitive", []byte("old sensitive\n"), map[string]any{"filename": at("old_sensitive"), "sensitive_content": "old sensitive\n"})
	addLocal(&s, "local_file", "copied", []byte("copied\n"), map[string]any{"filename": at("copied"), "source": source})
	addLocal(&s, "local_file", "relative", []byte("relative\n"), map[string]any{"filename": relative, "content": "relative\n", "file_permission": "0644"})
	addLocal(&s, "local_file", "changed", []byte("before\n"), map[string]any{"filename": at("changed"), "content": "before\n", "file_permission": "0644"})
	addLocal(&s, "local_file", "removed", []byte("removed\n"), map[string]any{"filename": at("removed"), "content": "removed\n", "file_permission": "0644"})
	addLocal(&s, "local_file", "each_a", []byte("a\n"), map[string]any{"filename": at("each_a"), "content": "a\n", "file_permission": "0600"})
	w.Write("terraform.tfstate", s.JSON(t))

	const block = `
moved {
  from = %[1]s.%[2]s
  to   = posix_file.%[2]s
}
resource "posix_file" %[2]q {
  path = "DIR/%[2]s"
  %[3]s
}
`
	config := fmt.Sprintf(block, "local_file", "plain", `content = "plain\n"
  mode = "0777"`) +
		fmt.Sprintf(block, "local_file", "mode", `content = "mode\n"
  mode = "0640"`) +
		fmt.Sprintf(block, "local_file", "bytes", `content_base64 = "AP8A"
  mode = "0755"`) +
		fmt.Sprintf(block, "local_sensitive_file", "sensitive", `content = sensitive("sensitive\n")
  mode = "0700"`) +
		fmt.Sprintf(block, "local_file", "old_sensitive", `content = sensitive("old sensitive\n")
  mode = "0777"`) +
		fmt.Sprintf(block, "local_file", "copied", fmt.Sprintf(`source = %q
  mode = "0777"`, source)) +
		fmt.Sprintf(block, "local_file", "relative", `content = "relative\n"`) +
		`
moved {
  from = local_file.each_a
  to   = posix_file.each["a"]
}
resource "posix_file" "each" {
  for_each = toset(["a"])
  path     = "DIR/each_${each.key}"
  content  = "${each.key}\n"
  mode     = "0600"
}
`
	drifted := fmt.Sprintf(block, "local_file", "changed", `content = "before\n"`) +
		fmt.Sprintf(block, "local_file", "removed", `content = "removed\n"`)
	w.Write("main.tf", resourcetest.Expand(dir, config+drifted))

	// Changes to the files before the move are detected. The content of one file becomes
	// sensitive, which Terraform shows as a change.
	r := w.Do([]int{2}, "plan", "-no-color", "-detailed-exitcode")
	for _, word := range []string{
		"Plan: 1 to add, 2 to change, 0 to destroy.", "# posix_file.removed will be created", "# posix_file.changed will be updated in-place",
		"- changed since", "+ before", "# local_file.plain has moved to posix_file.plain", "Content no longer hidden",
	} {
		if !strings.Contains(r.Output, word) {
			t.Errorf("the plan lacks %q:\n%s", word, r.Output)
		}
	}
	w.Do(nil, "apply", "-no-color", "-auto-approve")
	for name, now := range resourcetest.Inodes(t, dir, names...) {
		if was := before[name]; !os.SameFile(was, now) || !was.ModTime().Equal(now.ModTime()) || was.Mode() != now.Mode() {
			t.Errorf("%s was replaced or changed, want it unchanged", name)
		}
	}
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{
		"plain": "-rwxrwxrwx plain\n", "mode": "-rw-r----- mode\n", "bytes": "-rwxr-xr-x \x00\xff\x00",
		"sensitive": "-rwx------ sensitive\n", "old_sensitive": "-rwxrwxrwx old sensitive\n", "copied": "-rwxrwxrwx copied\n",
		"relative": "-rw-r--r-- relative\n", "changed": "-rw-r--r-- before\n", "removed": "-rw-r--r-- removed\n", "each_a": "-rw------- a\n",
	}))

	// hashicorp/local is no longer needed.
	withdraw()
	w.Do(nil, "plan", "-no-color", "-detailed-exitcode")
	if state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate")); err != nil || strings.Contains(string(state), "hashicorp/local") {
		t.Errorf("the state still has hashicorp/local (%v):\n%s", err, state)
	}
	w.Do(nil, "destroy", "-no-color", "-auto-approve")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{}))
}
