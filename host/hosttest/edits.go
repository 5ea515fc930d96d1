package hosttest

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// Edited returns the content of a file after an edit, given its info and content before, and
// reports whether the file is as the edit requires. Tests compare the edits of hosts with those of Edited.
func Edited(edit host.Edit, info host.FileInfo, content []byte) (edited []byte, ok bool) {
	if was := edit.Was; was != nil {
		return edit.New, bytes.Equal(content, edit.Old) && info.Mode == was.Mode && info.UID == was.UID && info.GID == was.GID
	}
	at := bytes.LastIndex(content, edit.Old)
	excluded := func(c byte) bool { return c == '\r' || c >= 0xfe }
	if at < 0 || at > 0 && content[at-1] != '\n' || slices.ContainsFunc(content, excluded) {
		return nil, false
	}
	before, after := content[:at], content[at+len(edit.Old):]
	if bytes.Contains(before, []byte(edit.Mark)) || bytes.Contains(after, []byte(edit.Mark)) {
		return nil, false
	}
	return slices.Concat(before, edit.New, after), true
}

// Edits returns edits of a part of a file, and contents of files. Some contents are as an edit requires, others are not.
func Edits() (edits []host.Edit, contents []string) {
	const part = "# mark\nx\n# end mark\n"
	for _, text := range []string{"", "# mark\ny\n# end mark\n"} {
		edits = append(edits, host.Edit{Old: []byte(part), New: []byte(text), Mark: "mark"}, host.Edit{New: []byte(text + "\x00"), Mark: "mark"})
	}
	return edits, []string{
		"", "\n", "a", "a\n", "a\n\n", "\x00\n", part, "a\n" + part, part + "b", "a\n" + part + "b\n", "a" + part, part + part, part[:len(part)-1],
		"a\r\n" + part, "a\r\n", part + "\r", "\xff\n", "\xfe\n" + part, "\xef\xbb\xbf" + part, "\xef\xbb\xbf\n" + part, "marks\n" + part, part + "a mark", "ma\nrk\n",
	}
}

// testEdits tests hosts that are editors. Such a host may decline any edit.
func testEdits(t *testing.T, s suite) {
	run(t, s, "of a part", func(e env) {
		editor, ok := e.Host.(host.Editor)
		if !ok {
			return
		}
		edits, contents := Edits()
		for i, content := range contents {
			path, edit := e.putMode("file", content, 0o640), edits[i%len(edits)]
			before := e.lstat(path)
			info, now, err := editor.EditFile(e.ctx(), path, edit, host.Attributes{})
			if errors.Is(err, errors.ErrUnsupported) {
				e.wantContent(path, content)
				break
			}
			e.must(err)
			want, ok := Edited(edit, before, []byte(content))
			if !ok {
				want = []byte(content)
			}
			if ok != (now == nil) || !ok && string(now) != content {
				e.Errorf("%q, edit of %q: EditFile returned the content %q, want an edit: %t", content, edit.Old, now, ok)
			}
			if is := e.lstat(path); is != info || is.Mode != before.Mode || is.UID != before.UID || is.GID != before.GID {
				e.Errorf("%q, edit of %q: EditFile returned %+v, Lstat %+v, want the same, with the mode and owner of %+v", content, edit.Old, info, is, before)
			}
			e.wantContent(path, string(want))
		}
		e.wantNames(e.dir, "file")
	})
	run(t, s, "of other objects", func(e env) {
		editor, ok := e.Host.(host.Editor)
		if !ok {
			return
		}
		edit := host.Edit{New: []byte("x\n"), Mark: "mark"}
		e.put("file", "old\n")
		e.mkdir("dir")
		e.symlink("file", "link")
		for _, name := range []string{"dir", "link", "none", "none/none", "file/none"} {
			_, now, err := editor.EditFile(e.ctx(), e.path(name), edit, host.Attributes{})
			if gone := errors.Is(err, fs.ErrNotExist); !gone && !errors.Is(err, errors.ErrUnsupported) || gone && !strings.HasSuffix(name, "none") || now != nil {
				e.Errorf("%s: content %q, error %v, want no content and errors.ErrUnsupported, or fs.ErrNotExist for a missing file", name, now, err)
			}
		}
		e.wantContent(e.path("file"), "old\n")
		e.wantNames(e.dir, "dir", "file", "link")
	})
}
