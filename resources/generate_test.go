package resources_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

// generated is what is said in the configuration that is generated of the object
// in state, and what it is told with. It plans no change.
func (o *object) generated() (attrs, []string) {
	o.t.Helper()
	resp := o.p.GenerateResourceConfig(o.t.Context(), provider.GenerateResourceConfigRequest{TypeName: o.typeName, State: o.state})
	set := attrs{}
	for name, v := range resp.Config.AsValueMap() {
		if !v.IsNull() {
			set[name] = v
		}
	}
	var said []string
	for _, d := range resp.Diagnostics {
		said = append(said, d.Error())
	}
	if diags := o.validate(set); (len(diags) > 0) != (len(said) > 0) {
		o.t.Errorf("generated with %q, validated with %v", said, diags)
	}
	if len(said) == 0 {
		o.noChange(set)
	}
	return set, said
}

func TestGeneratedConfigurationOfAFile(t *testing.T) {
	t.Parallel()
	const correction = "Generated configuration needs a correction: Missing argument: "
	for name, tt := range map[string]struct {
		content string
		mode    os.FileMode
		want    attrs // beside path, host, owner and group
		says    []string
	}{
		"text":            {content: "hello\n", mode: 0o644, want: attrs{"content": str("hello\n")}},
		"nothing":         {content: "", mode: 0o644, want: attrs{"content": str("")}},
		"another mode":    {content: "hello\n", mode: 0o600, want: attrs{"content": str("hello\n"), "mode": str("0600")}},
		"what is no text": {content: "\x00\xff", mode: 0o644, want: attrs{"content_base64": str("AP8=")}},
		"what is too large to be shown": {
			content: strings.Repeat("x", 1<<20+1), mode: 0o644,
			says: []string{correction + "One of content, content_base64, source and content_wo must be set."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			path := filepath.Join(t.TempDir(), "f")
			write(t, path, tt.content, tt.mode)
			if diags := f.imports(path, cty.NilVal); diags.HasErrors() {
				t.Fatal(diags)
			}
			got, said := f.generated()
			if !slices.Equal(said, tt.says) {
				t.Errorf("said %q, want %q", said, tt.says)
			}
			want := attrs{"path": str(path), "host": str("local"), "owner": f.attr("owner"), "group": f.attr("group")}
			maps.Copy(want, tt.want)
			for _, name := range sorted(f.body.Attributes) {
				a, b := got[name], want[name]
				if (a == cty.NilVal) != (b == cty.NilVal) || a != cty.NilVal && !a.RawEquals(b) {
					t.Errorf("%s is %#v, want %#v", name, a, b)
				}
			}
			if tt.says != nil {
				return
			}
			// It makes the same file elsewhere, too.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			f.apply(got)
			wantFile(t, path, tt.content, tt.mode)
		})
	}
}

// What is said of write-only content is its version; the content is for the user
// to write.
func TestGeneratedConfigurationOfASecretFile(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.apply(attrs{"path": str(filepath.Join(t.TempDir(), "f")), "content_wo": str("hush"), "content_wo_version": str("1")})
	got, said := f.generated()
	if v := got["content_wo_version"]; v == cty.NilVal || !v.RawEquals(str("1")) {
		t.Errorf("the version is %#v", v)
	}
	if len(said) != 2 || !strings.Contains(said[1], "content_wo must be set too") {
		t.Errorf("said %q", said)
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
		o := newObject(t, newPosix(t), typeName)
		if diags := o.imports(tt.path, cty.NilVal); diags.HasErrors() {
			t.Fatal(diags)
		}
		got, said := o.generated()
		if names := sorted(got); !slices.Equal(names, tt.want) || said != nil {
			t.Errorf("%s says %q, want %q; %q", typeName, names, tt.want, said)
		}
	}
}
