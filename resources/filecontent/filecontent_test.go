package filecontent_test

import (
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

const helloSum = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" // "hello\n"

func TestFileData(t *testing.T) {
	t.Parallel()
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t,
		resourcetest.Put(at("text"), "hello\n", 0o640), resourcetest.Put(at("bytes"), "\x00\xff", 0o644), resourcetest.Put(at("decomposed"), "e\u0301", 0o644), resourcetest.Put(at("empty"), "", 0o600),
		resourcetest.Put(at("large"), strings.Repeat("x", 3<<20), 0o644), resourcetest.Put(at("full"), strings.Repeat("x", 1<<20), 0o644),
		resourcetest.Put(at("huge"), "", 0o644), os.Truncate(at("huge"), 16<<20+1),
		os.Symlink("text", at("link")), os.Symlink("link", at("links")), os.Symlink("absent", at("dangling")), os.Mkdir(at("dir"), 0o755),
		os.Symlink("loop", at("loop")), os.Symlink("dir", at("dirlink")),
	)
	null, text := cty.NullVal(cty.String), attrs{
		"exists": cty.True, "content": str("hello\n"), "content_base64": str(base64.StdEncoding.EncodeToString([]byte("hello\n"))), "sha256": str(helloSum), "size": cty.NumberIntVal(6), "mode": str("0640"),
		"host": str("local"),
	}
	nothing := attrs{"exists": cty.False, "content": null, "content_base64": null, "sha256": null, "size": cty.NullVal(cty.Number), "mode": null, "owner": null}
	for name, tt := range map[string]struct {
		file string
		set  attrs
		want attrs
	}{
		"text":              {"text", nil, text},
		"link":              {"link", nil, text},
		"link to a link":    {"links", nil, text},
		"binary":            {"bytes", nil, attrs{"content": null, "content_base64": str("AP8="), "size": cty.NumberIntVal(2)}},
		"not normalised":    {"decomposed", nil, attrs{"content": null, "content_base64": str(base64.StdEncoding.EncodeToString([]byte("e\u0301")))}},
		"empty":             {"empty", nil, attrs{"content": str(""), "content_base64": str(""), "size": cty.NumberIntVal(0), "mode": str("0600")}},
		"of max_size":       {"full", nil, attrs{"size": cty.NumberIntVal(1 << 20)}},
		"larger max_size":   {"large", attrs{"max_size": cty.NumberIntVal(3 << 20)}, attrs{"content": str(strings.Repeat("x", 3<<20))}},
		"digest only":       {"large", attrs{"digest_only": cty.True}, attrs{"content": null, "content_base64": null, "size": cty.NumberIntVal(3 << 20), "exists": cty.True}},
		"digest of a link":  {"links", attrs{"digest_only": cty.True}, attrs{"sha256": str(helloSum), "content": null}},
		"missing":           {"absent", attrs{"must_exist": cty.False}, nothing},
		"dangling link":     {"dangling", attrs{"must_exist": cty.False}, nothing},
		"missing directory": {"absent/absent", attrs{"must_exist": cty.False}, nothing},
		"parent is a file":  {"text/absent", attrs{"must_exist": cty.False}, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := resourcetest.NewData(t, resourcetest.New(t, types), "posix_file")
			set := attrs{"path": str(at(tt.file))}
			maps.Copy(set, tt.set)
			resourcetest.NoErrors(t, q.Read(set))
			q.WantAttrs(tt.want)
		})
	}
	for name, tt := range map[string]struct {
		path      string
		set       attrs
		attribute string
		want      []string
	}{
		"missing":       {at("absent"), nil, "path", []string{"file " + at("absent") + " does not exist on host local", "no such file"}},
		"dangling link": {at("dangling"), nil, "path", []string{"file " + at("dangling") + " does not exist", at("absent")}},
		"too large":     {at("large"), nil, "max_size", []string{"has at least 3145728 bytes, which is more than max_size (1048576). Increase max_size"}},
		"too large to read": {
			at("huge"), nil, "max_size", []string{"has at least 16777217 bytes, which is more than max_size (1048576). The content of files larger than 16777216 bytes cannot be read"},
		},
		"directory": {at("dir"), nil, "path", []string{"is a directory; only regular files can be read"}},
		"digest of a directory": {
			at("dirlink"), attrs{"digest_only": cty.True, "must_exist": cty.False}, "path", []string{"is a directory; only regular files can be read"},
		},
		"link loop":     {at("loop"), attrs{"must_exist": cty.False}, "", []string{"too many levels of symbolic links"}},
		"relative":      {"text", nil, "path", []string{"not absolute"}},
		"unclean":       {at("dir") + "/../text", nil, "path", []string{"write " + at("text")}},
		"unknown host":  {at("text"), attrs{"host": str("no such host")}, "host", []string{"host"}},
		"max_size of 0": {at("text"), attrs{"max_size": cty.NumberIntVal(0)}, "max_size", []string{"from 1 to 16777216"}},
	} {
		t.Run("error: "+name, func(t *testing.T) {
			t.Parallel()
			set := attrs{"path": str(tt.path)}
			maps.Copy(set, tt.set)
			resourcetest.WantError(t, resourcetest.NewData(t, resourcetest.New(t, types), "posix_file").Read(set), tt.attribute, tt.want...)
		})
	}
}

// TestFileDataOfProc checks the size of a file in /proc, whose metadata has the size 0, and that
// the error for a file larger than max_size contains a minimum size.
func TestFileDataOfProc(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("/proc/version")
	if err != nil {
		t.Skip("this host has no /proc")
	}
	q := resourcetest.NewData(t, resourcetest.New(t, types), "posix_file")
	resourcetest.NoErrors(t, q.Read(attrs{"path": str("/proc/version")}))
	q.WantAttrs(attrs{"content": str(string(want)), "size": cty.NumberIntVal(int64(len(want)))})
	resourcetest.WantError(t, q.Read(attrs{"path": str("/proc/version"), "max_size": cty.NumberIntVal(1)}), "max_size", "has at least 2 bytes, which is more than max_size (1)")
}

func TestFileEphemeral(t *testing.T) {
	t.Parallel()
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t, resourcetest.Put(at("key"), "hello\n", 0o600), resourcetest.Put(at("bytes"), "\x00\xff", 0o600), os.Symlink("key", at("link")), resourcetest.Put(at("large"), strings.Repeat("x", 1<<20+1), 0o600))
	q := resourcetest.NewEphemeral(t, resourcetest.New(t, types), "posix_file")
	resourcetest.NoErrors(t, q.Open(attrs{"path": str(at("link"))}))
	q.WantAttrs(attrs{
		"content": str("hello\n"), "content_base64": str(base64.StdEncoding.EncodeToString([]byte("hello\n"))), "sha256": str(helloSum), "size": cty.NumberIntVal(6),
		"mode": str("0600"), "host": str("local"), "path": str(at("link")),
	})
	if !q.RenewAt.IsZero() {
		t.Errorf("RenewAt is %s, want none", q.RenewAt)
	}
	resourcetest.NoErrors(t, q.Close())
	resourcetest.NoErrors(t, q.Open(attrs{"path": str(at("bytes"))}))
	q.WantAttrs(attrs{"content": cty.NullVal(cty.String), "content_base64": str("AP8=")})
	for _, name := range []string{"content", "content_base64", "sha256"} {
		if !q.Body.Attributes[name].Sensitive {
			t.Errorf("%s is not sensitive", name)
		}
	}
	resourcetest.WantError(t, q.Open(attrs{"path": str(at("absent"))}), "path", "does not exist on host")
	resourcetest.WantError(t, q.Open(attrs{"path": str(at("large"))}), "max_size", "more than max_size (1048576)")
	resourcetest.WantError(t, q.Open(attrs{"path": str(dir)}), "path", "is a directory")
}

// rootHost is a host on which operations are known to run as root.
type rootHost struct{ host.Host }

func (rootHost) RunsAsRoot() bool { return true }

// TestUnsafeLinks checks that root reads no file through a link that another user can change, whether
// that link is the last element of the path or an element of the target of a link that root owns.
func TestUnsafeLinks(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(nil)
	for _, dir := range []struct {
		path string
		uid  uint32
	}{{"/root", 0}, {"/home", 0}, {"/home/alice", 1001}, {"/etc", 0}} {
		_, err := h.Mkdir(t.Context(), dir.path, host.Attributes{UID: &dir.uid})
		resourcetest.Must(t, err)
	}
	resourcetest.WriteOn(t, h, "/root/secret", "secret")
	resourcetest.WriteOn(t, h, "/home/alice/plain", "hello\n")
	for link, target := range map[string]string{
		"/home/alice/link": "/root/secret", "/home/alice/dir": "/root", "/etc/over": "../home/alice/dir/secret",
		"/etc/plain": "/home/alice/plain", "/etc/safe": "../root/secret",
	} {
		_, err := h.Symlink(t.Context(), target, link)
		resourcetest.Must(t, err)
	}
	_, err := h.Symlink(t.Context(), "/root/secret", "/etc/theirs")
	resourcetest.Must(t, err)
	_, err = h.SetAttributes(t.Context(), "/etc/theirs", host.TypeUnknown, host.Attributes{UID: new(uint32(1002))})
	resourcetest.Must(t, err)
	p := resourcetest.NewOn(t, types, rootHost{h})
	for path, refused := range map[string]string{
		"/home/alice/link": "the symbolic link /home/alice/link is not followed as root, because /home/alice belongs to user alice",
		"/etc/over":        "the symbolic link /home/alice/dir is not followed as root, because /home/alice belongs to user alice",
		"/etc/theirs":      "the symbolic link /etc/theirs is not followed as root, because it belongs to user bob",
		"/etc/safe":        "", "/etc/plain": "", "/home/alice/plain": "",
	} {
		for _, set := range []attrs{{"path": str(path)}, {"path": str(path), "digest_only": cty.True}} {
			diags := resourcetest.NewData(t, p, "posix_file").Read(set)
			if refused != "" {
				resourcetest.WantError(t, diags, "", refused)
			} else {
				resourcetest.NoErrors(t, diags)
			}
		}
		diags := resourcetest.NewEphemeral(t, p, "posix_file").Open(attrs{"path": str(path)})
		if refused != "" {
			resourcetest.WantError(t, diags, "", refused)
		} else {
			resourcetest.NoErrors(t, diags)
		}
	}
}
