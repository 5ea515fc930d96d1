package hosttest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// modes has each bit set and unset, and the usual combinations.
var modes = []host.Mode{0, 0o001, 0o022, 0o400, 0o600, 0o644, 0o755, 0o777, 0o1777, 0o2755, 0o4711, 0o7000, 0o7777}

func testModes(t *testing.T, s suite) {
	for i, mode := range modes {
		attrs := host.Attributes{Mode: &mode}
		before := modes[(i+5)%len(modes)]
		check := func(e env, what string, info host.FileInfo) {
			e.Helper()
			if info.Mode != mode {
				e.Errorf("%s: mode %s, want %s", what, info.Mode, mode)
			}
		}
		run(t, s, "file "+mode.String(), func(e env) {
			p := e.path("file")
			check(e, "new", e.made(e.WriteFile(e.ctx(), p, strings.NewReader("a"), host.WriteOptions{Attributes: attrs})))
			check(e, "kept", e.made(e.WriteFile(e.ctx(), p, strings.NewReader("b"), host.WriteOptions{})))
			e.must(e.setMode(p, before))
			check(e, "over "+before.String(), e.made(e.WriteFile(e.ctx(), p, strings.NewReader("c"), host.WriteOptions{Attributes: attrs})))
			e.must(e.setMode(p, before))
			check(e, "set over "+before.String(), e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, attrs)))
			check(e, "nothing set", e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{})))
			own := e.lstat(p)
			check(e, "set with the owner", e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{Mode: &mode, UID: &own.UID, GID: &own.GID})))
			e.must(e.setMode(p, 0o600))
			e.wantContent(p, "c")
			check(e, "exclusive", e.made(e.WriteFile(e.ctx(), e.path("exclusive"), strings.NewReader("a"), host.WriteOptions{Attributes: attrs, Exclusive: true})))
			e.wantNames(e.dir, "exclusive", "file")
		})
		run(t, s, "directory "+mode.String(), func(e env) {
			p := e.path("dir")
			check(e, "new", e.made(e.Mkdir(e.ctx(), p, attrs)))
			e.must(e.setMode(p, before))
			check(e, "over "+before.String(), e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, attrs)))
		})
	}
	run(t, s, "new file has mode 0600", func(e env) {
		info := e.made(e.WriteFile(e.ctx(), e.path("file"), strings.NewReader("a"), host.WriteOptions{}))
		if info.Mode != 0o600 {
			e.Errorf("mode %s, want 0600", info.Mode)
		}
	})
	run(t, s, "new directory has mode 0755", func(e env) {
		info := e.made(e.Mkdir(e.ctx(), e.path("dir"), host.Attributes{}))
		if info.Mode != 0o755 {
			e.Errorf("mode %s, want 0755", info.Mode)
		}
	})
	run(t, s, "setgid parent does not change the mode", func(e env) {
		e.must(e.setMode(e.mkdir("parent"), 0o2775))
		info, err := e.Mkdir(e.ctx(), e.path("parent/dir"), host.Attributes{Mode: new(host.Mode(0o755))})
		e.must(err)
		if info.Mode != 0o755 {
			e.Errorf("directory mode %s, want 0755", info.Mode)
		}
		info, err = e.WriteFile(e.ctx(), e.path("parent/file"), strings.NewReader("a"),
			host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o644))}})
		e.must(err)
		if info.Mode != 0o644 {
			e.Errorf("file mode %s, want 0644", info.Mode)
		}
	})
	run(t, s, "mode that the host cannot set", func(e env) {
		const p = "/proc/1/status" // the mode of a process's files is fixed, even for root
		before, err := e.Lstat(e.ctx(), p)
		if err != nil {
			e.Skipf("this host has no fixed mode: %v", err)
		}
		e.wantError(errOf(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{Mode: new(before.Mode ^ 0o044)})), p, fs.ErrPermission)
	})
	run(t, s, "temporary file has mode 0600", func(e env) {
		p := e.put("file", "old")
		_, err := e.WriteFile(e.ctx(), p, atEnd("secret", func() {
			for _, name := range e.names(e.dir) {
				if info := e.lstat(e.path(name)); host.IsTempPath(name) && info.Mode != 0o600 {
					e.Errorf("during the write, %s has mode %s, want 0600", name, info.Mode)
				}
			}
		}), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o666))}})
		e.must(err)
	})
}

// testOwners tests owners that only root can set.
func testOwners(t *testing.T, s suite) {
	const uid, gid = 54321, 65432 // not in any user database
	want := func(e env, info host.FileInfo, uid, gid uint32, mode host.Mode) {
		e.Helper()
		if info.UID != uid || info.GID != gid || info.Mode != mode {
			e.Errorf("%s is %d:%d %s, want %d:%d %s", info.Path, info.UID, info.GID, info.Mode, uid, gid, mode)
		}
	}
	owner := func(mode host.Mode) host.Attributes {
		return host.Attributes{Mode: &mode, UID: new(uint32(uid)), GID: new(uint32(gid))}
	}
	for _, mode := range modes {
		asRoot(t, s, "set with mode "+mode.String(), func(e env) {
			own := e.lstat(e.dir)
			want(e, e.made(e.WriteFile(e.ctx(), e.path("file"), strings.NewReader("a"), host.WriteOptions{Attributes: owner(mode)})), uid, gid, mode)
			want(e, e.made(e.WriteFile(e.ctx(), e.path("file"), strings.NewReader("b"), host.WriteOptions{})), uid, gid, mode)
			want(e, e.made(e.Mkdir(e.ctx(), e.path("dir"), owner(mode))), uid, gid, mode)
			p := e.put("other", "a")
			want(e, e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, owner(mode))), uid, gid, mode)
			want(e, e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{Mode: &mode, UID: &own.UID, GID: &own.GID})), own.UID, own.GID, mode)
		})
	}
	asRoot(t, s, "only user or only group", func(e env) {
		p := e.put("file", "a")
		own := e.lstat(p)
		want(e, e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{UID: new(uint32(uid))})), uid, own.GID, 0o644)
		want(e, e.made(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{GID: new(uint32(gid))})), uid, gid, 0o644)
		info := e.made(e.WriteFile(e.ctx(), p, strings.NewReader("b"), host.WriteOptions{Attributes: host.Attributes{UID: &own.UID}}))
		want(e, info, own.UID, gid, 0o644)
		if info.Owner == fmt.Sprint(uid) || info.Group != fmt.Sprint(gid) {
			e.Errorf("owner %q and group %q, want a name and %d", info.Owner, info.Group, gid)
		}
	})
	asRoot(t, s, "IDs without a name", func(e env) {
		info := e.made(e.WriteFile(e.ctx(), e.path("file"), strings.NewReader("a"), host.WriteOptions{Attributes: owner(0o644)}))
		want(e, info, uid, gid, 0o644)
		if info.Owner != fmt.Sprint(uid) || info.Group != fmt.Sprint(gid) {
			e.Errorf("owner %q, group %q, want %d and %d", info.Owner, info.Group, uid, gid)
		}
	})
	asRoot(t, s, "owner of a link, not of its target", func(e env) {
		file := e.put("file", "a")
		before := e.lstat(file)
		info, err := e.SetAttributes(e.ctx(), e.symlink("file", "link"), host.TypeUnknown, host.Attributes{UID: new(uint32(uid)), GID: new(uint32(gid))})
		e.must(err)
		if info.UID != uid || info.GID != gid || info.LinkTarget != "file" {
			e.Errorf("the link is %+v, want owner %d:%d and target file", info, uid, gid)
		}
		if after := e.lstat(file); after != before {
			e.Errorf("the target of the link changed from %+v to %+v", before, after)
		}
	})
	asRoot(t, s, "leftover of a killed writer is removed", func(e env) {
		e.must(errOf(e.SetAttributes(e.ctx(), e.leave("file", ""), host.TypeUnknown, owner(0))))
		e.put("file", "new")
		e.wantNames(e.dir, "file")
	})
	asRoot(t, s, "before replace", func(e env) {
		e.must(errOf(e.Mkdir(e.ctx(), e.path("theirs"), owner(0o755))))
		_, err := e.WriteFile(e.ctx(), e.path("theirs/file"), strings.NewReader("a"), host.WriteOptions{
			Attributes: owner(0o4750),
			BeforeReplace: func(_ context.Context, temp string) error {
				if !host.IsTempPath(temp) || path.Dir(temp) != e.path("theirs") {
					e.Errorf("the temporary file is %s, want a temporary path in %s", temp, e.path("theirs"))
				}
				want(e, e.lstat(temp), uid, gid, 0o4750)
				return nil
			},
		})
		e.must(err)
	})
}

// asRoot runs a test that needs a host whose user is root. It skips the test on other hosts.
func asRoot(t *testing.T, s suite, name string, test func(e env)) {
	t.Helper()
	run(t, s, name, func(e env) {
		if !e.privileged() {
			e.Skip("this host's user is not root")
		}
		test(e)
	})
}

// testPermission tests operations for which the user of a host, who is not root, lacks a permission.
func testPermission(t *testing.T, s suite) {
	asUser := func(name string, test func(e env)) {
		run(t, s, name, func(e env) {
			if e.privileged() {
				e.Skip("this host's user has all permissions")
			}
			test(e)
		})
	}
	asUser("directory without search permission", func(e env) {
		e.putSources()
		e.mkdir("closed")
		p := e.put("closed/x", "old")
		e.must(e.setMode(e.path("closed"), 0))
		for _, op := range operations() {
			for _, path := range []string{p, e.path("closed/absent")} {
				if err := op.do(e, e.ctx(), path); op.name != "RemoveTemp" || err != nil {
					e.wantError(err, path, fs.ErrPermission)
				}
			}
		}
		e.must(e.setMode(e.path("closed"), 0o700))
		e.wantNames(e.path("closed"), "x")
		e.wantContent(p, "old")
		e.wantNames(e.dir, "closed", keptFile, movedDir, movedFile)
	})
	asUser("directory without write permission", func(e env) {
		e.putSources()
		ops := slices.DeleteFunc(operations(), func(op operation) bool {
			switch op.name {
			case "Lstat", "Open", "Digest", "ReadDir", "RemoveTemp", "SetAttributes of mode", "SetAttributes of owner",
				"SetAttributes of a file", "SetAttributes of a directory", "Link from":
				return true // does not change the directory
			}
			return false
		})
		for _, op := range ops {
			e.mkdir(op.name)
			op.prepare(e, op.name+"/x")
		}
		before := e.snapshot(e.dir)
		for _, op := range ops {
			e.must(e.setMode(e.path(op.name), 0o500))
			p := e.path(op.name + "/x")
			err := op.do(e, e.ctx(), p)
			if op.name == "Rename from" { // the host does not report which of the two paths it rejected
				if !errors.Is(err, fs.ErrPermission) {
					e.Errorf("Rename: error %v, want fs.ErrPermission", err)
				}
			} else {
				e.wantError(err, p, fs.ErrPermission)
			}
			e.must(e.setMode(e.path(op.name), 0o755))
		}
		e.wantSnapshot(e.dir, before)
	})
	asUser("file without read permission", func(e env) {
		p := e.putMode("file", "old", 0o200)
		_, _, err := e.Open(e.ctx(), p)
		e.wantError(err, p, fs.ErrPermission)
		_, _, err = host.Digest(e.ctx(), e.Host, p)
		e.wantError(err, p, fs.ErrPermission)
		if info := e.lstat(p); info.Size != 3 || info.Mode != 0o200 {
			e.Errorf("Lstat returned %+v, want size 3 and mode 0200", info)
		}
		e.must(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("longer"), host.WriteOptions{})))
		e.must(e.setMode(p, 0o400))
		e.wantContent(p, "longer")
		e.must(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("again"), host.WriteOptions{})))
		e.wantContent(p, "again")
	})
	asUser("directory without read permission", func(e env) {
		e.mkdir("dir")
		e.put("dir/x", "old")
		e.must(e.setMode(e.path("dir"), 0o300))
		e.wantError(errOf(e.ReadDir(e.ctx(), e.path("dir"))), e.path("dir"), fs.ErrPermission)
		e.leave("dir/y", "")
		e.put("dir/y", "new")
		e.wantContent(e.path("dir/x"), "old")
		e.must(e.setMode(e.path("dir"), 0o700))
		e.wantNames(e.path("dir"), "x", "y")
	})
	asUser("setting another owner", func(e env) {
		p := e.put("file", "old")
		before := e.snapshot(e.dir)
		for _, attrs := range []host.Attributes{
			{UID: new(uint32(0))}, {GID: new(uint32(0))}, {UID: new(uint32(54321)), Mode: new(host.Mode(0o600))},
		} {
			e.wantError(errOf(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{UID: attrs.UID, GID: attrs.GID})), p, fs.ErrPermission)
			e.wantError(errOf(e.WriteFile(e.ctx(), p, strings.NewReader("new"), host.WriteOptions{Attributes: attrs})), p, fs.ErrPermission)
			e.wantError(errOf(e.WriteFile(e.ctx(), e.path("new"), strings.NewReader("new"), host.WriteOptions{Attributes: attrs})), e.path("new"), fs.ErrPermission)
			e.wantError(errOf(e.Mkdir(e.ctx(), e.path("new"), attrs)), e.path("new"), fs.ErrPermission)
			e.wantSnapshot(e.dir, before)
		}
	})
	asUser("setting another owner of objects with setuid and sticky", func(e env) {
		file, dir := e.putMode("file", "old", 0o4755), e.mkdir("dir")
		e.must(e.setMode(dir, 0o1777))
		before := e.snapshot(e.dir)
		for _, tt := range []struct {
			path  string
			attrs host.Attributes
		}{
			{file, host.Attributes{UID: new(uint32(0))}},
			{dir, host.Attributes{UID: new(uint32(0))}},
			{dir, host.Attributes{UID: new(uint32(0)), Mode: new(host.Mode(0o1777))}},
		} {
			_, err := e.SetAttributes(e.ctx(), tt.path, host.TypeUnknown, tt.attrs)
			e.wantError(err, tt.path, fs.ErrPermission)
			e.wantSnapshot(e.dir, before)
		}
	})
	asUser("objects of root", func(e env) {
		for _, p := range []string{"/", "/etc"} {
			info, err := e.Lstat(e.ctx(), p)
			if err != nil || info.UID != 0 {
				e.Skipf("%s does not belong to root on this host (error %v)", p, err)
			}
			e.must(errOf(e.SetAttributes(e.ctx(), p, host.TypeDirectory, host.Attributes{Mode: &info.Mode, UID: &info.UID})))
		}
		_, err := e.WriteFile(e.ctx(), "/etc/no such file", strings.NewReader("x"), host.WriteOptions{})
		if errors.Is(err, fs.ErrNotExist) {
			e.Skip("this host has no /etc")
		}
		e.wantError(err, "/etc/no such file", fs.ErrPermission)
	})
}
