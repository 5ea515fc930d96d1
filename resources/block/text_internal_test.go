package block

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
)

func web(lines string) block { return block{name: "web", style: style{start: "#"}, lines: lines} }

func must(t *testing.T, text []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestInsert(t *testing.T) {
	t.Parallel()
	const b, e = "# BEGIN posix_file_block web", "# END posix_file_block web"
	const other = "; BEGIN posix_file_block a\nb\n; END posix_file_block a\n"
	match := regexp.MustCompile("^b")
	html := web("x\n")
	html.style = style{"<!--", "-->"}
	for name, tt := range map[string]struct {
		text  string
		at    place
		block block
		want  string
	}{
		"an empty file":            {"", place{}, web("x\n"), b + "\nx\n" + e + "\n"},
		"no lines":                 {"a\n", place{}, web(""), "a\n" + b + "\n" + e + "\n"},
		"an empty line":            {"a\n", place{}, web("\n"), "a\n" + b + "\n\n" + e + "\n"},
		"the end":                  {"a\n", place{}, web("x\ny\n"), "a\n" + b + "\nx\ny\n" + e + "\n"},
		"no newline at the end":    {"a", place{}, web("x\n"), "a\n" + b + "\nx\n" + e},
		"the start":                {"a", place{start: true}, web("x\n"), b + "\nx\n" + e + "\na"},
		"after a byte order mark":  {bom + "a", place{start: true}, web("x\n"), bom + b + "\nx\n" + e + "\na"},
		"only byte order mark":     {bom, place{}, web("x\n"), bom + b + "\nx\n" + e + "\n"},
		"line endings of the file": {"a\r\nb\n", place{}, web("x\n"), "a\r\nb\n" + b + "\r\nx\r\n" + e + "\r\n"},
		"CRLF, no newline at end":  {"a\r\nb", place{}, web("x\n"), "a\r\nb\r\n" + b + "\r\nx\r\n" + e},
		"after the last":           {"b\nb1\na\n", place{after: match}, web("x\n"), "b\nb1\n" + b + "\nx\n" + e + "\na\n"},
		"after the last, at end":   {"a\nb", place{after: match}, web("x\n"), "a\nb\n" + b + "\nx\n" + e},
		"before the first":         {"a\r\nb\nb\n", place{before: match}, web("x\n"), "a\r\n" + b + "\r\nx\r\n" + e + "\r\nb\nb\n"},
		"after, match in a block":  {"b\n" + other, place{after: match}, web("x\n"), "b\n" + b + "\nx\n" + e + "\n" + other},
		"before, match in a block": {other + "b", place{before: match}, web("x\n"), other + b + "\nx\n" + e + "\nb"},
		"begin marker only":        {"# BEGIN posix_file_block a\nb\n", place{before: match}, web("x\n"), "# BEGIN posix_file_block a\n" + b + "\nx\n" + e + "\nb\n"},
		"end of a comment":         {"a\n", place{}, html, "a\n<!-- BEGIN posix_file_block web -->\nx\n<!-- END posix_file_block web -->\n"},
		"a NUL byte":               {"\x00\n\xff", place{}, web(""), "\x00\n\xff\n" + b + "\n" + e},
	} {
		got, err := insert([]byte(tt.text), tt.at, tt.block)
		if diff := cmp.Diff(tt.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for text, want := range map[string]error{"a\n" + other: errNoMatch, "\xff\xfea\x00": errUTF16, "\xfe\xff\x00a": errUTF16} {
		if _, err := insert([]byte(text), place{after: match}, web("")); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	const b, e = "# BEGIN posix_file_block web\n", "# END posix_file_block web\n"
	const ob, oe = "// BEGIN posix_file_block a-1\n", "// END posix_file_block a-1\n"
	for name, tt := range map[string]struct{ text, lines, fails string }{
		"between others":     {ob + oe + b + "x\n" + e + ob + oe, "x\n", ""},
		"no newline":         {b + strings.TrimSuffix(e, "\n"), "", ""},
		"two line endings":   {strings.ReplaceAll(b+"x\n"+e, "\n", "\r\n"), "x\n", ""},
		"mixed line endings": {strings.ReplaceAll(b, "\n", "\r\n") + "x\n" + e, "x\n", ""},
		"CRLF in content":    {b + "x\r\n" + e, "x\r\n", ""},
		"CRLF except one":    {strings.ReplaceAll(b+"x\n", "\n", "\r\n") + "y\n" + e, "x\r\ny\n", ""},
		"invalid UTF-8":      {b + "\xff\n" + e, `"\xff\n"` + "\r\n", ""},
		"not in NFC":         {b + "e\u0301\n" + e, `"e\u0301\n"` + "\r\n", ""},
		"after a BOM":        {bom + b + "x\n" + e, "x\n", ""},
		"no end":             {"x\n" + b + "x\n", "", "line 2 starts the block, but no line after it ends it"},
		"no begin":           {"x\ny\n" + e, "", "line 3 ends the block, but no line before it starts it"},
		"ends twice":         {b + e + e, "", "line 3 ends the block"},
		"begins twice":       {b + b + e, "", "starts at line 1 and again at line 2"},
		"two blocks":         {b + e + "x\n" + b + e, "", "starts at line 1 and again at line 4"},
		"crossed":            {b + ob + e + oe, "", "starts at line 1, but line 2 is a marker of the block a-1"},
		"indented":           {" " + b + e, "", "line 2 ends the block"},
	} {
		f, err := find([]byte(tt.text), "web")
		if tt.fails != "" {
			if d, is := errors.AsType[*markerError](err); !is || !strings.Contains(err.Error(), tt.fails) || d.name != "web" {
				t.Errorf("%s: error %v, want %q", name, err, tt.fails)
			}
			continue
		}
		if err != nil || f == nil || f.lines != tt.lines {
			t.Errorf("%s: %+v (%v), want the lines %q", name, f, err, tt.lines)
		}
	}
	if f, err := find([]byte(ob+"# BEGIN posix_file_block web x y\n#  END posix_file_block web\n"), "web"); f != nil || err != nil {
		t.Errorf("find returned %+v (%v), want no block", f, err)
	}
}

// FuzzLaws checks that an inserted block can be found, changed and removed, that removing the block
// restores the text byte for byte, and that two blocks can be removed and changed in any order.
func FuzzLaws(f *testing.F) {
	for _, text := range []string{
		"", "\n", "a", "a\n", "a\r\nb\r\n", "a\r\nb", "a\r", "a\nb\r", bom, bom + "a\r\n", "\x00\xff", "\r\n", "b\n# BEGIN posix_file_block x\n\n# END posix_file_block x",
		"# BEGIN posix_file_block x\nb\n", "# END posix_file_block x\r", "a\n\n\n",
	} {
		for _, at := range []byte{0, 1, 2, 3, 6, 9, 15} {
			f.Add([]byte(text), "x\ny", "", at, "#", "")
			f.Add([]byte(text), "", "b\n\nb", at, "/*", "*/")
		}
	}
	at := func(n byte) place {
		return []place{{}, {start: true}, {after: regexp.MustCompile("b|^$")}, {before: regexp.MustCompile("b|^$")}}[n%4]
	}
	f.Fuzz(func(t *testing.T, text []byte, content, another string, where byte, start, end string) {
		content, another = cty.NormalizeString(strings.ToValidUTF8(content, "")), cty.NormalizeString(strings.ToValidUTF8(another, "")) // normalised like all strings of Terraform
		if checkContent(Content(content)) != nil || checkContent(Content(another)) != nil || checkComment(start) != nil || end != "" && checkComment(end) != nil {
			return
		}
		one := block{"one", style{start, end}, Content(content).lines()}
		two := block{"two", style{start: "#"}, Content(another).lines()}
		if is, err := find(text, one.name); is != nil || err != nil {
			return
		}
		if is, err := find(text, two.name); is != nil || err != nil {
			return
		}
		with, err := insert(text, at(where), one)
		if err != nil {
			if !errors.Is(err, errNoMatch) && !errors.Is(err, errUTF16) {
				t.Fatal(err)
			}
			return
		}
		is := look(t, with, one)
		if got := is.remove(with); !bytes.Equal(got, text) {
			t.Fatalf("after insert and remove: %q, want %q (inserted: %q)", got, text, with)
		}
		if got := is.replace(with, one); !bytes.Equal(got, with) {
			t.Fatalf("after replacing the block with itself: %q, want %q", got, with)
		}
		changed := one
		changed.lines, changed.style = two.lines, style{"<!--", "-->"}
		other := is.replace(with, changed)
		if got := look(t, other, changed).remove(other); !bytes.Equal(got, text) {
			t.Fatalf("after insert, replace and remove: %q, want %q (replaced: %q)", got, text, other)
		}
		// A second block is inserted. The two blocks can be removed and changed in any order.
		both, err := insert(with, at(where/4), two)
		if errors.Is(err, errNoMatch) {
			return
		}
		must(t, both, err)
		firstOut := look(t, both, one).remove(both)
		if got := look(t, firstOut, two).remove(firstOut); !bytes.Equal(got, text) {
			t.Fatalf("after insert and remove of two blocks: %q, want %q (inserted: %q, first removed: %q)", got, text, both, firstOut)
		}
		secondOut := look(t, both, two).remove(both)
		if !bytes.Equal(secondOut, with) {
			t.Fatalf("after insert and remove of a second block: %q, want %q (inserted: %q)", secondOut, with, both)
		}
		twoToo := two
		twoToo.lines = one.lines
		a := look(t, both, one).replace(both, changed)
		a = look(t, a, two).replace(a, twoToo)
		b := look(t, both, two).replace(both, twoToo)
		b = look(t, b, one).replace(b, changed)
		if !bytes.Equal(a, b) {
			t.Fatalf("changes in different orders have the results %q and %q, want equal results", a, b)
		}
	})
}

// FuzzEdits checks that an edit that a host makes itself, without sending the text to the provider, has
// the same result as the provider's change of the text. In the text, @ stands for the block.
func FuzzEdits(f *testing.F) {
	const end = "# END posix_file_block one\n"
	for _, text := range []string{
		"", "a", "a\n", "a\r\n", "@", "a\n@b", "a@", "@@", bom + "@", bom, "@\r", "a\r\n@", "\xff\xfe\n", "@" + end, end + "@", end, "# BEGIN posix_file_block one\n@", "posix_file_block one\n@",
		"@posix_file_block one", "# BEGIN posix_file_block two\n@# END posix_file_block two\n", "@; BEGIN posix_file_block one\n", "@# END posix_file_block one-2\n",
	} {
		f.Add([]byte(text), "x\ny", "", "#", "")
		f.Add([]byte(text), "", "posix_file_block one", "/*", "*/")
		f.Add([]byte(text), "a\n"+end, "b", "#", "")
		f.Add([]byte(text), "b\r\n", "b", "# and ;", " and ")
	}
	f.Fuzz(func(t *testing.T, text []byte, content, another, start, end string) {
		out := &Output{Name: "one", Content: Content(content), Comment: start, CommentEnd: &end}
		one := block{"one", style{start, end}, out.Content.lines()}
		two := block{"one", style{start: "#"}, Content(another).lines()}
		text = bytes.ReplaceAll(text, []byte("@"), one.render("\n"))
		found, err := find(text, "one")
		for what, tt := range map[string]struct {
			edit host.Edit
			want func() ([]byte, error)
		}{
			"insert": {two.atEnd(), func() ([]byte, error) {
				if found != nil {
					return nil, errors.New("the block exists")
				}
				return insert(text, place{}, two)
			}},
			"replace": {out.edit(two.render("\n")), func() ([]byte, error) { return found.replace(text, two), nil }},
			"remove":  {out.edit(nil), func() ([]byte, error) { return found.remove(text), nil }},
		} {
			edited, made := hosttest.Edited(tt.edit, host.FileInfo{}, text)
			if !made {
				continue
			}
			if err != nil || what != "insert" && (found == nil || !found.as(one)) {
				t.Fatalf("%s: the edit was made in %q, which has the block %+v (%v), want no edit", what, text, found, err)
			}
			if want, err := tt.want(); err != nil || !bytes.Equal(edited, want) {
				t.Fatalf("%s: %q became %q, want %q (%v)", what, text, edited, want, err)
			}
		}
	})
}

func look(t *testing.T, text []byte, want block) *foundBlock {
	t.Helper()
	f, err := find(text, want.name)
	if err != nil || f == nil || !f.as(want) {
		t.Fatalf("block in %q: %+v (%v), want %+v", text, f, err, want)
	}
	return f
}
