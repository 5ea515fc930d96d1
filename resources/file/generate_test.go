package file_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func TestGeneratedConfigurationOfAFile(t *testing.T) {
	t.Parallel()
	const correction = "Generated configuration needs a correction: Missing argument: "
	for name, tt := range map[string]struct {
		content string
		mode    os.FileMode
		want    attrs // in addition to path, host, owner and group
		warns   []string
	}{
		"text":       {content: "hello\n", mode: 0o644, want: attrs{"content": str("hello\n")}},
		"empty":      {content: "", mode: 0o644, want: attrs{"content": str("")}},
		"other mode": {content: "hello\n", mode: 0o600, want: attrs{"content": str("hello\n"), "mode": str("0600")}},
		"binary":     {content: "\x00\xff", mode: 0o644, want: attrs{"content_base64": str("AP8=")}},
		"too large to show": {
			content: strings.Repeat("x", 1<<20+1), mode: 0o644, want: attrs{"mode": str("0644")}, // with content_wo, mode has a different default
			warns: []string{correction + "One of content, content_base64, source and content_wo must be set."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			path := filepath.Join(t.TempDir(), "f")
			resourcetest.Write(t, path, tt.content, tt.mode)
			if diags := f.Import(path, cty.NilVal); diags.HasErrors() {
				t.Fatal(diags)
			}
			got, warned := f.Generate()
			if !slices.Equal(warned, tt.warns) {
				t.Errorf("warnings %q, want %q", warned, tt.warns)
			}
			want := attrs{"path": str(path), "host": str("local"), "owner": f.Attr("owner"), "group": f.Attr("group")}
			maps.Copy(want, tt.want)
			for _, name := range slices.Sorted(maps.Keys(f.Body.Attributes)) {
				a, b := got[name], want[name]
				if (a == cty.NilVal) != (b == cty.NilVal) || a != cty.NilVal && !a.RawEquals(b) {
					t.Errorf("%s is %#v, want %#v", name, a, b)
				}
			}
			if tt.warns != nil {
				return
			}
			// The configuration creates the same file again.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			f.Apply(got)
			resourcetest.WantFile(t, path, tt.content, tt.mode)
		})
	}
}

// TestGeneratedConfigurationOfASecretFile checks that the generated configuration of
// write-only content has the version, and that the user has to add the content.
func TestGeneratedConfigurationOfASecretFile(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.Apply(attrs{"path": str(filepath.Join(t.TempDir(), "f")), "content_wo": str("hush"), "content_wo_version": str("1")})
	got, warned := f.Generate()
	if v := got["content_wo_version"]; v == cty.NilVal || !v.RawEquals(str("1")) {
		t.Errorf("content_wo_version is %#v, want 1", v)
	}
	if len(warned) != 2 || !strings.Contains(warned[1], "content_wo must be set too") {
		t.Errorf("warnings %q, want two warnings, the second about content_wo", warned)
	}
}

func TestGeneratedConfigurationOfOtherTypes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, link := filepath.Join(root, "d"), filepath.Join(root, "l")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d", link); err != nil {
		t.Fatal(err)
	}
	for typeName, tt := range map[string]struct {
		path string
		want []string
	}{
		"posix_directory": {dir, []string{"group", "host", "mode", "owner", "path"}},
		"posix_symlink":   {link, []string{"host", "path", "target"}},
	} {
		o := resourcetest.NewObject(t, resourcetest.New(t, types), typeName)
		if diags := o.Import(tt.path, cty.NilVal); diags.HasErrors() {
			t.Fatal(diags)
		}
		got, warned := o.Generate()
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, tt.want) || warned != nil {
			t.Errorf("%s: attributes %q, want %q; warnings %q, want none", typeName, names, tt.want, warned)
		}
	}
}
