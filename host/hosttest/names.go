package hosttest

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// oddNames are valid names that a shell, a protocol or a tool could misinterpret.
var oddNames = []string{
	" ", "  two  spaces  ", "trailing ", "tab\t", "new\nline", "\n", "carriage\rreturn", "\x01\x1b[31m", "\x7f",
	"-", "--", "-rf", "--help", "...", ".hidden", "~", "~root", "*", "?", "[a]", "{a,b}", "a;b", "a&b", "a|b",
	"$(touch x)", "`touch x`", "$HOME", "'", `"`, `\`, `\n`, "a'b\"c", "!", "#", "%s%n", "%2F", "a:b", "a=b", "a,b",
	"é", "e\u0301", "日本語", "🙂", "\u202e", "\ufeff", "\xff", "\xff\xfe", "a\x80b", "\xed\xa0\x80", "\xc0\xaf",
	"con", "NUL", "a.", "posix-tmp", ".posix-tmpx", "file.posix-tmp", "123", "0",
	strings.Repeat("n", 80), strings.Repeat("n", 81), strings.Repeat("n", 200), strings.Repeat("n", 254),
	strings.Repeat("n", 255), strings.Repeat("é", 127), strings.Repeat("\xff", 255), "." + strings.Repeat("n", 254),
}

// hardNames is the subset of oddNames that most operations are tested with.
var hardNames = []string{
	" ", "trailing ", "new\nline", "\x01\x1b[31m", "-rf", "--help", "...", "~root", "*", "[a]", "a;b", "$(touch x)", "'", `"`, `\n`,
	"!", "%s%n", "a:b", "é", "\xff\xfe", "\xc0\xaf", "posix-tmp", "0", strings.Repeat("n", 81), strings.Repeat("n", 255), strings.Repeat("\xff", 255),
}

func testNames(t *testing.T, s suite) {
	for i, name := range hardNames {
		run(t, s, fmt.Sprintf("%d %.20q", i, name), func(e env) {
			p := e.path(name)
			for _, exclusive := range []bool{true, false} {
				info, err := e.WriteFile(e.ctx(), p, strings.NewReader(name), host.WriteOptions{Exclusive: exclusive})
				e.must(err)
				if info.Path != p || info != e.lstat(p) {
					e.Errorf("WriteFile returned %+v, Lstat %+v", info, e.lstat(p))
				}
			}
			e.wantContent(p, name)
			e.wantNames(e.dir, name)
			e.must(errOf(e.SetAttributes(e.ctx(), p, host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o640))})))
			e.must(e.Rename(e.ctx(), p, e.path("plain")))
			e.must(e.Link(e.ctx(), e.path("plain"), p))
			e.must(e.Remove(e.ctx(), e.path("plain")))
			e.wantContent(p, name)
			e.must(e.Remove(e.ctx(), p))
			e.wantError(e.Remove(e.ctx(), p), p, fs.ErrNotExist)

			e.must(errOf(e.Symlink(e.ctx(), name, p)))
			info, err := e.ReplaceSymlink(e.ctx(), "x"+name, p, nil)
			e.must(err)
			if info.LinkTarget != "x"+name {
				e.Errorf("link target %q, want %q", info.LinkTarget, "x"+name)
			}
			e.must(e.Remove(e.ctx(), p))

			inner := p + "/" + name
			made, err := host.MakeParents(e.ctx(), e.Host, inner, host.Attributes{})
			e.must(err)
			if len(made) != 1 || made[0] != p {
				e.Errorf("made %q, want only %q", made, p)
			}
			e.must(errOf(e.WriteFile(e.ctx(), inner, strings.NewReader("in"), host.WriteOptions{})))
			e.wantNames(p, name)
			e.must(e.Remove(e.ctx(), inner))
			e.must(e.Rmdir(e.ctx(), p))
			e.wantNames(e.dir)
		})
	}
	run(t, s, "similar names", func(e env) {
		names := []string{"é", "e\u0301", "E\u0301", "a", "A", "a ", " a", "\xff", "\xfe", "\ufffd"}
		for _, name := range names {
			e.put(name, name)
		}
		for _, name := range names {
			e.wantContent(e.path(name), name)
		}
		e.wantNames(e.dir, names...)
	})
	run(t, s, "similar long names", func(e env) {
		long := strings.Repeat("n", 254)
		release := make(chan struct{})
		first := e.startWrite(e.path(long+"1"), "1", host.WriteOptions{}, release)
		e.put(long+"2", "2") // must not collide with the temporary file of the first writer
		e.wantContent(e.path(long+"2"), "2")
		close(release)
		e.must(<-first)
		e.wantContent(e.path(long+"1"), "1")
		e.wantNames(e.dir, long+"1", long+"2")
	})
	run(t, s, "too long name", func(e env) {
		e.putSources()
		before := e.snapshot(e.dir)
		p := e.path(strings.Repeat("n", 256))
		for _, op := range operations() {
			err := op.do(e, e.ctx(), p)
			if err == nil && op.name == "RemoveTemp" {
				continue
			}
			if !op.makes && !strings.HasSuffix(op.name, " to") && errors.Is(err, fs.ErrNotExist) {
				continue // no such name can exist: fs.ErrNotExist is correct too
			}
			e.wantError(err, p)
		}
		e.wantSnapshot(e.dir, before)
	})
}
