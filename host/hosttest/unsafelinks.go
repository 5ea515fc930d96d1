package hosttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// testUnsafeLinks tests which symbolic links above the path of an operation are not followed by root.
func testUnsafeLinks(t *testing.T, s suite) {
	// target makes a directory of the host's user with a file and a directory in it.
	target := func(e env) {
		e.Helper()
		e.mkdir("target")
		e.mkdir("target/dir")
		e.put("target/file", "secret")
	}
	own := func(e env, name string, uid uint32, mode host.Mode) {
		e.Helper()
		attrs := host.Attributes{UID: &uid}
		if mode != 0 {
			attrs.Mode = &mode
		}
		e.must(errOf(e.SetAttributes(e.ctx(), e.path(name), host.TypeUnknown, attrs)))
	}
	// make creates links to the directory target, or none. It returns the directory above the paths of the
	// operations, and the link that is refused, if any.
	for _, tt := range []struct {
		name string
		make func(e env) (dir, refused string)
	}{
		{"in a directory of a user", func(e env) (string, string) {
			e.mkdir("home")
			link := e.symlink(e.path("target"), "home/link")
			own(e, "home", anyUser, 0)
			return link, link
		}},
		{"of a user in a sticky directory", func(e env) (string, string) {
			e.mkdir("tmp")
			link := e.symlink("../target", "tmp/link")
			own(e, "tmp/link", anyUser, 0)
			own(e, "tmp", 0, 0o1777)
			return link, link
		}},
		{"of root in a directory for all", func(e env) (string, string) {
			e.mkdir("open")
			link := e.symlink("../target", "open/link")
			own(e, "open", 0, 0o777)
			return link, link
		}},
		{"of root below a directory of a user", func(e env) (string, string) {
			e.mkdir("home")
			e.mkdir("home/dir")
			link := e.symlink(e.path("target"), "home/dir/link")
			own(e, "home", anyUser, 0)
			return link, link
		}},
		{"in a directory of a user that a link of root leads to", func(e env) (string, string) {
			e.mkdir("home")
			link := e.symlink(e.path("target"), "home/link")
			own(e, "home", anyUser, 0)
			e.symlink("home", "home link")
			return e.path("home link/link"), link
		}},
		{"of root in a sticky directory", func(e env) (string, string) {
			e.mkdir("tmp")
			link := e.symlink("../target", "tmp/link")
			own(e, "tmp", 0, 0o1777)
			return link, ""
		}},
		{"of root", func(e env) (string, string) {
			e.symlink("target/dir/..", "one")
			return e.symlink(e.path("one"), "two"), ""
		}},
		{"none, in a directory of a user", func(e env) (string, string) {
			own(e, "target/dir", anyUser, 0)
			own(e, "target", anyUser, 0)
			return e.path("target"), ""
		}},
	} {
		asRoot(t, s, "link "+tt.name, func(e env) {
			target(e)
			dir, refused := tt.make(e)
			before := e.snapshot(e.path("target"))
			if refused != "" {
				for _, o := range pathOperations() {
					_, err := o.do(e.ctx(), e.Host, dir)
					unsafe, ok := errors.AsType[*host.UnsafeLinkError](err)
					if !ok || unsafe.Link != refused || unsafe.Owner == "" && unsafe.UID != 0 {
						e.Errorf("%s: error %v, want an UnsafeLinkError for %s, with an owner unless the UID is 0", o.name, err, refused)
					}
				}
				e.wantSnapshot(e.path("target"), before)
			}
			follow := host.WithFollowLinks(e.ctx())
			if refused == "" {
				follow = e.ctx()
			}
			for _, o := range pathOperations() {
				if _, err := o.do(follow, e.Host, dir); err != nil {
					e.Errorf("%s: error %v, want none", o.name, err)
				}
			}
		})
	}
	asRoot(t, s, "link of a user in a tree", func(e env) {
		target(e)
		e.mkdir("tree")
		e.mkdir("tree/real")
		e.symlink(e.path("target"), "tree/link")
		own(e, "tree", anyUser, 0)
		before := e.snapshot(e.path("target"))
		for _, at := range []string{"link/file", "link/dir/new"} {
			if err := host.WriteTree(e.ctx(), e.Host, e.path("tree"), []host.TreeFile{treeFile("real/x", "x", 0o644), treeFile(at, "x", 0o644)}); err == nil {
				e.Errorf("WriteTree of %s returned no error", at)
			}
		}
		e.wantSnapshot(e.path("target"), before)
		e.wantNames(e.path("tree"), "link", "real")
		e.must(host.WriteTree(e.ctx(), e.Host, e.path("tree"), []host.TreeFile{treeFile("real/x", "new", 0o644), treeFile("y", "y", 0o644)}))
		e.wantContent(e.path("tree/real/x"), "new")
		e.wantNames(e.path("tree"), "link", "real", "y")
	})
	asRoot(t, s, "directory that is given to a user", func(e env) {
		target(e)
		e.mkdir("app")
		e.mkdir("app/conf")
		link := e.symlink(e.path("target"), "app/link")
		e.put("app/link/new", "followed while root owns all")
		own(e, "app", anyUser, 0)
		_, err := e.WriteFile(e.ctx(), link+"/new", strings.NewReader("x"), host.WriteOptions{})
		if _, ok := errors.AsType[*host.UnsafeLinkError](err); !ok {
			e.Errorf("error %v, want an UnsafeLinkError", err)
		}
	})
	run(t, s, "links of the own user", func(e env) {
		target(e)
		own := e.symlink(e.path("target"), "link")
		if e.privileged() {
			e.Skip("this host's user is root")
		}
		e.put("link/new", "x")
		e.wantContent(own+"/new", "x")
	})
}
