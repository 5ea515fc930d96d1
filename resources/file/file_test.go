package file_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

const helloSum = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" // "hello\n"

func TestFileLifecycle(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	path := filepath.Join(t.TempDir(), "a", "b", "file")
	f.Apply(attrs{"path": str(path), "content": str("hello\n")})
	resourcetest.WantFile(t, path, "hello\n", 0o644)
	resourcetest.WantMode(t, filepath.Dir(path), 0o755)
	f.WantAttrs(attrs{
		"host": str("local"), "sha256": str(helloSum), "mode": str("0644"),
	})
	if !onlyStamp(f.Private) {
		t.Errorf("private data for a file as applied: %s, want only the stamp", f.Private)
	}
	want := cty.ObjectVal(attrs{"host": str("local"), "path": str(path)})
	if !f.Identity.RawEquals(want) {
		t.Errorf("identity %#v, want %#v", f.Identity, want)
	}

	// Content: the plan changes only the content and its digest.
	f.Changes(attrs{"path": str(path), "content": str("world\n")}, "content", "sha256")
	f.Apply(attrs{"path": str(path), "content": str("hello, world\n")})
	resourcetest.WantFile(t, path, "hello, world\n", 0o644)

	// Mode only: the file is not written.
	before := resourcetest.Inode(t, path)
	f.Changes(attrs{"path": str(path), "content": str("hello, world\n"), "mode": str("640")}, "mode")
	f.Apply(attrs{"path": str(path), "content": str("hello, world\n"), "mode": str("640")})
	resourcetest.WantFile(t, path, "hello, world\n", 0o640)
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("a change of mode wrote the file again")
	}
	f.WantAttrs(attrs{"mode": str("640")}) // as configured
	f.NoChange(attrs{"path": str(path), "content": str("hello, world\n"), "mode": str("0640")})

	// The same content in a different attribute is not written again.
	f.Changes(attrs{"path": str(path), "content_base64": str(b64("hello, world\n")), "mode": str("640")}, "content", "content_base64")
	f.Apply(attrs{"path": str(path), "content_base64": str(b64("hello, world\n")), "mode": str("640")})
	if !os.SameFile(before, resourcetest.Inode(t, path)) {
		t.Error("the same bytes were written again")
	}

	// A new path forces a new resource.
	other := filepath.Join(t.TempDir(), "other")
	plan := f.Apply(attrs{"path": str(other), "content": str("x")})
	if len(plan.RequiresReplace) != 1 {
		t.Errorf("the object is replaced because of %v, want one path", plan.RequiresReplace)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("lstat of the old file: error %v, want %v", err, os.ErrNotExist)
	}
	if diags := f.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := os.Lstat(other); !os.IsNotExist(err) {
		t.Errorf("lstat of the file after the destroy: error %v, want %v", err, os.ErrNotExist)
	}
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestFileConfiguration(t *testing.T) {
	t.Parallel()
	null := cty.NullVal(cty.String)
	for name, tt := range map[string]struct {
		set       attrs
		attribute string
		want      []string
	}{
		"home directory":             {attrs{"path": str("~/b"), "content": str("")}, "path", []string{"only a shell replaces ~", "/home/NAME"}},
		"relative path":              {attrs{"path": str("a/b"), "content": str("")}, "path", []string{"not absolute"}},
		"unclean path":               {attrs{"path": str("/a//b"), "content": str("")}, "path", []string{"write /a/b"}},
		"root":                       {attrs{"path": str("/"), "content": str("")}, "path", []string{"root"}},
		"reserved name":              {attrs{"path": str("/a/.b.posix-tmp"), "content": str("")}, "path", []string{"reserved"}},
		"invalid mode":               {attrs{"path": str("/a"), "content": str(""), "mode": str("rw")}, "mode", []string{"octal"}},
		"two content attributes":     {attrs{"path": str("/a"), "content": str(""), "source": str("/x")}, "source", []string{"content is already set"}},
		"no content":                 {attrs{"path": str("/a")}, "", []string{"content_wo", "must be set"}},
		"content_wo without version": {attrs{"path": str("/a"), "content_wo": str("")}, "content_wo_version", []string{"must be set"}},
		"version without content_wo": {attrs{"path": str("/a"), "content": str(""), "content_wo_version": str("1")}, "content_wo", []string{"must be set"}},
		"invalid base64":             {attrs{"path": str("/a"), "content_base64": str("aGk?")}, "content_base64", []string{"character 4"}},
		"unknown host":               {attrs{"path": str("/a"), "content": str(""), "host": str("web")}, "host", []string{"Unknown host: ", `no host "web"`, "local"}},
		"unknown owner":              {attrs{"path": str("/a"), "content": str(""), "owner": str("no such user")}, "owner", []string{"local", "no such user"}},
		"unknown group":              {attrs{"path": str("/a"), "content": str(""), "group": str("no such group")}, "group", []string{"local", "no such group"}},
		"missing source":             {attrs{"path": str("/a"), "source": str("no/such/source")}, "source", []string{"no/such/source", "unknown until then"}},
		"directory as source":        {attrs{"path": str("/a"), "source": str(".")}, "source", []string{"is a directory"}},
		"null path":                  {attrs{"path": null, "content": str("")}, "path", []string{"required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resourcetest.WantError(t, newFile(t).Plan(tt.set).Diagnostics, tt.attribute, tt.want...)
		})
	}
}

// TestFileUnknowns checks that unknown values are not rejected.
func TestFileUnknowns(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	unknown := cty.UnknownVal(cty.String)
	for _, set := range []attrs{
		{"path": unknown, "content": unknown},
		{"path": str("/a"), "content": unknown, "content_base64": unknown},
		{"path": str("/a"), "content": str("x"), "owner": unknown, "mode": unknown, "host": unknown},
		{"path": str("/a"), "content_wo": unknown, "content_wo_version": str("1")},
	} {
		if plan := f.Plan(set); plan.Diagnostics.HasErrors() {
			t.Errorf("%v: %v", set, plan.Diagnostics)
		}
	}
	// Constraints are checked once the values are known.
	resourcetest.WantError(t, f.PlanFrom(f.Null(), f.Config(attrs{"path": str("/a")}), nil).Diagnostics, "", "all of them are null")
}

func TestFileDrift(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		drift   func(path string) error
		changes []string
		rewrite bool
	}{
		"content": {
			func(p string) error { return os.WriteFile(p, []byte("hallo\n"), 0o600) },
			[]string{"content", "sha256"},
			true,
		},
		"content and size": {
			func(p string) error { return os.WriteFile(p, []byte("hi\n"), 0o600) },
			[]string{"content", "sha256"},
			true,
		},
		"binary content": {
			func(p string) error { return os.WriteFile(p, []byte("hell\xff\n"), 0o600) },
			[]string{"content", "sha256"},
			true,
		},
		"content not normalised": {
			func(p string) error { return os.WriteFile(p, []byte("he\u0301l\n"), 0o600) },
			[]string{"content", "sha256"},
			true,
		},
		"content with NUL": {
			func(p string) error { return os.WriteFile(p, []byte("hell\x00\n"), 0o600) },
			[]string{"content", "sha256"},
			true,
		},
		"large content": {
			func(p string) error { return os.WriteFile(p, make([]byte, 3<<20), 0o600) },
			[]string{"content", "sha256"},
			true,
		},
		"mode":  {func(p string) error { return os.Chmod(p, 0o666) }, []string{"mode"}, false},
		"touch": {func(p string) error { return os.WriteFile(p, []byte("hello\n"), 0o600) }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			path := filepath.Join(t.TempDir(), "file")
			set := attrs{"path": str(path), "content": str("hello\n")}
			f.Apply(set)
			if err := tt.drift(path); err != nil {
				t.Fatal(err)
			}
			before := resourcetest.Inode(t, path)
			f.Refresh()
			if c := f.Attr("content"); !c.IsNull() {
				if disk, err := os.ReadFile(path); err != nil || string(disk) != c.AsString() {
					t.Errorf("the state has the content %q, and the file %q (%v), want the same", c.AsString(), disk, err)
				}
			}
			f.Changes(set, tt.changes...)
			f.Refresh() // another refresh does not hide the drift
			f.Changes(set, tt.changes...)
			f.Apply(set)
			resourcetest.WantFile(t, path, "hello\n", 0o644)
			if rewritten := !os.SameFile(before, resourcetest.Inode(t, path)); rewritten != tt.rewrite {
				t.Errorf("the file was written again: %t, want %t", rewritten, tt.rewrite)
			}
			if !onlyStamp(f.Private) {
				t.Errorf("private data after repair: %s, want only the stamp", f.Private)
			}
		})
	}
}

// TestFileUnusualText checks that unusual text is written as configured.
func TestFileUnusualText(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "NUL": "a\x00b", "escape": "\x1b[31mred", "CRLF": "a\r\nb", "NFC": "é", "BOM": "\ufeffx",
		"large": strings.Repeat("0123456789abcdef", 1<<17),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			path := filepath.Join(t.TempDir(), "file")
			f.Apply(attrs{"path": str(path), "content": str(content)})
			resourcetest.WantFile(t, path, content, 0o644)
		})
	}
}

func TestFileMissing(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	dir := filepath.Join(t.TempDir(), "dir")
	path := filepath.Join(dir, "file")
	set := attrs{"path": str(path), "content": str("x")}
	f.Apply(set)
	// If the directory was removed, the file does not exist.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	f.Refresh()
	if !f.State.IsNull() {
		t.Fatal("a file that does not exist is in the state")
	}
	f.Apply(set)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if diags := f.Destroy(); diags.HasErrors() {
		t.Errorf("destroy of a file that does not exist: %v", diags)
	}
}

func TestFileReplacedBySomethingElse(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"directory":     func(p string) error { return os.Mkdir(p, 0o755) },
		"symbolic link": func(p string) error { return os.Symlink("other", p) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			path := filepath.Join(t.TempDir(), "file")
			resourcetest.Write(t, filepath.Join(filepath.Dir(path), "other"), "other", 0o600)
			set := attrs{"path": str(path), "content": str("x")}
			f.Apply(set)
			plan := f.Plan(attrs{"path": str(path), "content": str("y")})
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			before := resourcetest.Inode(t, path)
			resourcetest.WantError(t, f.ApplyPlan(attrs{"path": str(path), "content": str("y")}, plan), "", path, "is a "+name)
			f.Refresh()
			if !f.State.IsNull() {
				t.Error("the file is still in the state")
			}
			if !os.SameFile(before, resourcetest.Inode(t, path)) {
				t.Error("the object was replaced")
			}
			resourcetest.WantFile(t, filepath.Join(filepath.Dir(path), "other"), "other", 0o600)
		})
	}
}
