package glob_test

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/posixform/terraform-provider-posix/resources/glob"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, yes, no string }{
		{"*.bak", "a.bak x/a.bak .bak x/y/z.bak", "a.bak2 a.bak/x abak"},
		{"a", "a x/a", "b aa a/b"},
		{"/a", "a", "x/a a/b"},
		{"/a/", "a/", "a x/a/"},
		{"a/", "a/ x/a/", "a x/a"},
		{"docs/*.md", "docs/a.md docs/.md", "docs/a/b.md x/docs/a.md docs/a.mdx"},
		{"docs/**/*.md", "docs/a.md docs/x/a.md docs/x/y/a.md", "a.md docs/a.txt x/docs/a.md"},
		{"**/a", "a x/a x/y/a", "b a/b xa"},
		{"a/**", "a/b a/b/c a", "b"},
		{"a/**/b/**/c", "a/b/c a/x/b/y/z/c a/b/b/c a/b/c/c", "a/c a/b b/c a/x/c"},
		{"**/x/**/y", "x/y x/x/y a/x/b/x/c/y", "y x y/x"},
		{"a**b", "ab axxb", "a/b"},
		{"?", "a é 日 x/y", "ab a/bc"},
		{"[a-c]x", "ax bx", "dx x"},
		{"[!a-c]x", "dx éx", "ax x a/x"},
		{"/a[!b]c", "axc", "a/c abc"},
		{"[^a]", "^ a", "b"},
		{`[\^a]`, "^ a", "b"},
		{`[a\!]`, "! a", "b"},
		{`[a\-c]`, "a - c", "b"},
		{`[\]]`, "]", "["},
		{"[é-ü]", "ö", "o"},
		{`\*`, "*", "a"},
		{`\[a]`, "[a]", "a"},
		{`a\?`, "a?", "ab"},
		{"*a*b*c*", "abc xaxbxcx aabbcc", "acb ab"},
		{"{a,b}", "{a,b}", "a"},
		{"!a", "!a", "a b"},
		{"$(x)", "$(x)", "x"},
	} {
		p, err := glob.Parse(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		match := func(path string) bool {
			name, dir := strings.CutSuffix(path, "/")
			return p.Match(name, dir)
		}
		for path := range strings.FieldsSeq(tt.yes) {
			if !match(path) {
				t.Errorf("%s does not match %s", tt.pattern, path)
			}
		}
		for path := range strings.FieldsSeq(tt.no) {
			if match(path) {
				t.Errorf("%s matches %s", tt.pattern, path)
			}
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	ps, err := glob.ParseAll([]string{"build/", "/docs/*.tmp"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"build/x": true, "a/build/x/y": true, "build": false, "docs/a.tmp": true, "docs/a.tmp/below": true, "a/docs/a.tmp": false, "docs": false,
	} {
		if ps.Covers(path, false) != want {
			t.Errorf("%s: Covers returns %t", path, !want)
		}
	}
}

func TestInvalidPatterns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "/", "//", "a//b", "a/", ".", "./a", "../a", "a/..", "[", "[a", "[]", "[a-]", "[b-a]", "[-a]", "[[]", "[!]", "[!-a]", `[b-\a]`, `a\`, `[\`, `[a\`, "\xff", "a/[/]"} {
		_, err := glob.ParseAll([]string{text})
		if good := text == "a/"; (err == nil) != good {
			t.Errorf("%q: error %v, want an error for every pattern but a/", text, err)
		}
	}
}

// FuzzMatch compares results with those of package doublestar.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{{"a/**/b", "a/x/b"}, {"/*.[a-z]", "x.y"}, {"**/a?/**", "b/ac/d"}, {`/\*`, "*"}, {"/[!a]*b*", "xbb"}, {"/a/**", "a"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := glob.Parse(pattern)
		below, rooted := strings.CutPrefix(pattern, "/")
		// Leave out syntax that only one of the two packages supports, or that the packages interpret differently.
		odd := strings.ContainsAny(pattern, "{}^") || strings.HasSuffix(pattern, "/") || strings.HasSuffix(pattern, "/**") || strings.Contains(strings.ReplaceAll("/"+below+"/", "/**/", "//"), "**")
		if err != nil || !rooted || odd || path == "" || path[0] == '/' || strings.HasSuffix(path, "/") || strings.Contains(path, "//") || strings.Contains(path, "\xff") {
			return
		}
		if strings.Count(pattern, "*") > 5 || len(path) > 100 { // doublestar is slow with these
			return
		}
		want, err := doublestar.Match(below, path)
		if err == nil && p.Match(path, false) != want {
			t.Errorf("%q matches %q: %t, want %t", pattern, path, !want, want)
		}
	})
}
