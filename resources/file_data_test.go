package resources_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestFileData(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t,
		put(at("text"), "hello\n", 0o640), put(at("bytes"), "\x00\xff", 0o644), put(at("decomposed"), "e\u0301", 0o644), put(at("empty"), "", 0o600),
		put(at("large"), strings.Repeat("x", 3<<20), 0o644), put(at("full"), strings.Repeat("x", 1<<20), 0o644),
		os.Symlink("text", at("link")), os.Symlink("link", at("links")), os.Symlink("absent", at("dangling")), os.Mkdir(at("folder"), 0o755),
		os.Symlink("loop", at("loop")), os.Symlink("folder", at("folderlink")),
	)
	null, text := cty.NullVal(cty.String), attrs{
		"exists": cty.True, "content": str("hello\n"), "content_base64": str(b64("hello\n")), "sha256": str(helloSum), "size": cty.NumberIntVal(6), "mode": str("0640"),
		"host": str("local"),
	}
	nothing := attrs{"exists": cty.False, "content": null, "content_base64": null, "sha256": null, "size": cty.NullVal(cty.Number), "mode": null, "owner": null}
	for name, tt := range map[string]struct {
		file string
		set  attrs
		want attrs
	}{
		"text":                 {"text", nil, text},
		"a link":               {"link", nil, text},
		"a link to a link":     {"links", nil, text},
		"no text":              {"bytes", nil, attrs{"content": null, "content_base64": str("AP8="), "size": cty.NumberIntVal(2)}},
		"not normalised":       {"decomposed", nil, attrs{"content": null, "content_base64": str(b64("e\u0301"))}},
		"nothing in it":        {"empty", nil, attrs{"content": str(""), "content_base64": str(""), "size": cty.NumberIntVal(0), "mode": str("0600")}},
		"as large as can be":   {"full", nil, attrs{"size": cty.NumberIntVal(1 << 20)}},
		"larger":               {"large", attrs{"max_size": cty.NumberIntVal(3 << 20)}, attrs{"content": str(strings.Repeat("x", 3<<20))}},
		"a digest":             {"large", attrs{"digest_only": cty.True}, attrs{"content": null, "content_base64": null, "size": cty.NumberIntVal(3 << 20), "exists": cty.True}},
		"a digest of a link":   {"links", attrs{"digest_only": cty.True}, attrs{"sha256": str(helloSum), "content": null}},
		"none":                 {"absent", attrs{"must_exist": cty.False}, nothing},
		"a link to none":       {"dangling", attrs{"must_exist": cty.False}, nothing},
		"none in none":         {"absent/absent", attrs{"must_exist": cty.False}, nothing},
		"below what is a file": {"text/absent", attrs{"must_exist": cty.False}, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newData(t, newPosix(t), "posix_file")
			set := attrs{"path": str(at(tt.file))}
			maps.Copy(set, tt.set)
			fine(t, q.read(set))
			q.wantAttrs(tt.want)
		})
	}
	for name, tt := range map[string]struct {
		path      string
		set       attrs
		attribute string
		words     []string
	}{
		"none":           {at("absent"), nil, "path", []string{"there is no file " + at("absent") + " on host local", "no such file"}},
		"a link to none": {at("dangling"), nil, "path", []string{"there is no file " + at("dangling"), at("absent")}},
		"too large":      {at("large"), nil, "max_size", []string{"has 3145728 bytes, and up to 1048576 are read"}},
		"a directory":    {at("folder"), nil, "path", []string{"is a directory, and only regular files are read"}},
		"a digest of a directory": {
			at("folderlink"), attrs{"digest_only": cty.True, "must_exist": cty.False}, "path", []string{"is a directory, and only regular files are read"},
		},
		"a loop":       {at("loop"), attrs{"must_exist": cty.False}, "", []string{"too many levels of symbolic links"}},
		"relative":     {"text", nil, "path", []string{"not absolute"}},
		"unclean":      {at("folder") + "/../text", nil, "path", []string{"write " + at("text")}},
		"unknown host": {at("text"), attrs{"host": str("no such host")}, "host", []string{"host"}},
		"no size":      {at("text"), attrs{"max_size": cty.NumberIntVal(0)}, "max_size", []string{"from 1 to 16777216"}},
	} {
		t.Run("error: "+name, func(t *testing.T) {
			t.Parallel()
			set := attrs{"path": str(tt.path)}
			maps.Copy(set, tt.set)
			wantError(t, newData(t, newPosix(t), "posix_file").read(set), tt.attribute, tt.words...)
		})
	}
}

// Files that the kernel makes up when they are read have no size beforehand.
func TestFileDataOfProc(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("/proc/version")
	if err != nil {
		t.Skip("there is no /proc here")
	}
	q := newData(t, newPosix(t), "posix_file")
	fine(t, q.read(attrs{"path": str("/proc/version")}))
	q.wantAttrs(attrs{"content": str(string(want)), "size": cty.NumberIntVal(int64(len(want)))})
}

func TestFileEphemeral(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, put(at("key"), "hello\n", 0o600), put(at("bytes"), "\x00\xff", 0o600), os.Symlink("key", at("link")), put(at("large"), strings.Repeat("x", 1<<20+1), 0o600))
	q := newEphemeral(t, newPosix(t), "posix_file")
	fine(t, q.open(attrs{"path": str(at("link"))}))
	q.wantAttrs(attrs{
		"content": str("hello\n"), "content_base64": str(b64("hello\n")), "sha256": str(helloSum), "size": cty.NumberIntVal(6),
		"mode": str("0600"), "host": str("local"), "path": str(at("link")),
	})
	if !q.renewAt.IsZero() {
		t.Errorf("to be renewed at %s", q.renewAt)
	}
	fine(t, q.close())
	fine(t, q.open(attrs{"path": str(at("bytes"))}))
	q.wantAttrs(attrs{"content": cty.NullVal(cty.String), "content_base64": str("AP8=")})
	for _, name := range []string{"content", "content_base64", "sha256"} {
		if !q.body.Attributes[name].Sensitive {
			t.Errorf("%s is shown", name)
		}
	}
	wantError(t, q.open(attrs{"path": str(at("absent"))}), "path", "there is no file")
	wantError(t, q.open(attrs{"path": str(at("large"))}), "max_size", "up to 1048576 are read")
	wantError(t, q.open(attrs{"path": str(dir)}), "path", "is a directory")
}
