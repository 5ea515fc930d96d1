package functions_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/resources/functions"
)

type iniFile = map[string]map[string]*string

func TestINIEncode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sections iniFile
		want     string
	}{
		"empty":                           {nil, ""},
		"sorted":                          {iniFile{"b": {"y": new("2"), "x": new("1")}, "a": {"z": new("3")}}, "[a]\nz = 3\n\n[b]\nx = 1\ny = 2\n"},
		"keys before the first section":   {iniFile{"": {"k": new("v")}, "A": {}}, "k = v\n\n[A]\n"},
		"empty section name without keys": {iniFile{"": {}, "A": {}}, "[A]\n"},
		"empty and null":                  {iniFile{"s": {"empty": new(""), "none": nil}}, "[s]\nempty =\n"},
		"verbatim":                        {iniFile{"s": {"k": new(`"a" = 'b' ; c # d \`)}}, "[s]\nk = \"a\" = 'b' ; c # d \\\n"},
		"special characters in names":     {iniFile{`remote "origin"`: {"a b:c;": new("v")}, "a]b": {}}, "[a]b]\n\n[remote \"origin\"]\na b:c; = v\n"},
	} {
		if got, err := functions.INIEncode(tt.sections); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}

func TestINIEncodeErrors(t *testing.T) {
	t.Parallel()
	one := func(section, key, value string) iniFile { return iniFile{section: {key: &value}} }
	for name, tt := range map[string]struct {
		sections iniFile
		says     string
	}{
		"line break":                {one("s", "k", "hush\nhush"), `the key "k" in the section "s": a value must not contain line breaks`},
		"carriage return":           {one("s", "k", "a\r"), "a value must not contain carriage returns"},
		"NUL":                       {one("s", "k", "a\x00"), "a value must not contain NUL"},
		"blank at the end":          {one("s", "k", "hush "), "must not begin or end with a blank"},
		"blank at the start":        {one("s", "k", "\u00a0hush"), "must not begin or end with a blank"},
		"empty key":                 {one("s", "", "v"), "a key must have a name"},
		"equals sign":               {one("s", "a=b", "v"), "must not contain an equals sign"},
		"comment as key":            {one("s", ";a", "v"), "must not start with"},
		"section as key":            {one("s", "[a", "v"), "must not start with"},
		"byte order mark":           {one("", "\ufeffa", "v"), "byte order mark"},
		"leading blank in key":      {one("s", " a", "v"), "a key must not begin"},
		"line break in key":         {one("s", "a\nb", "v"), "a key must not contain line breaks"},
		"line break in section":     {one("a\nb", "k", "v"), `the section "a\nb": the name must not contain line breaks`},
		"trailing blank in section": {one("a ", "k", "v"), "the name must not begin"},
		"null with an invalid key":  {iniFile{"s": {"#": nil}}, "must not start with"},
	} {
		_, err := functions.INIEncode(tt.sections)
		wantError(t, name, err, 0, tt.says)
		wantNoSecret(t, err)
	}
}

func TestINIDecode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want iniFile
	}{
		"empty":                         {"", iniFile{}},
		"comments":                      {"# a = b\n  ; c\n\n", iniFile{}},
		"keys before the first section": {"a=1\n[s]\nb=2", iniFile{"": {"a": new("1")}, "s": {"b": new("2")}}},
		"blanks":                        {"[ s ]  \n\tk\t= v w \n", iniFile{"s": {"k": new("v w")}}},
		"CRLF and byte order mark":      {"\ufeff[s]\r\nk = v\r\n", iniFile{"s": {"k": new("v")}}},
		"verbatim":                      {"k = \"a\" ; b # c\nl = d \\\nm==", iniFile{"": {"k": new(`"a" ; b # c`), "l": new(`d \`), "m": new("=")}}},
		"empty and missing value":       {"a =\nb\n", iniFile{"": {"a": new(""), "b": nil}}},
		"repeated section":              {"[s]\na=1\n[t]\n[s]\nb=2\n", iniFile{"s": {"a": new("1"), "b": new("2")}, "t": {}}},
	} {
		got, err := functions.INIDecode(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for name, tt := range map[string]struct{ text, says string }{
		"duplicate key":                     {"[s]\nhush=1\n\nhush=2\n", "line 4: its key is already on line 2"},
		"duplicate key in repeated section": {"[s]\na=1\n[t]\na=1\n[s]\na=2\n", "line 6: its key is already on line 2"},
		"unclosed section":                  {"[hush\n", "line 1: the name of a section must end with ]"},
		"text after section":                {"[hush] x\n", "line 1: the name of a section must end with ]"},
		"section without name":              {"a=1\n[ ]\n", "line 2: a section must have a name"},
		"empty key":                         {" = hush\n", "line 1: a key must have a name"},
		"indented continuation":             {"a = 1\n  hush\n", "line 2: some programs append an indented line without an equals sign"},
		"carriage return":                   {"a = hush\rb = 2\n", "line 1: a value must not contain carriage returns"},
		"NUL":                               {"[hush\x00]\n", "line 1: the name must not contain NUL"},
	} {
		_, err := functions.INIDecode(tt.text)
		wantError(t, name, err, 0, tt.says)
		wantNoSecret(t, err)
	}
}

// FuzzINIDecode checks that decoded values can be encoded and are decoded to the same
// values, except null, and that encoding these again returns the same text.
func FuzzINIDecode(f *testing.F) {
	for _, seed := range []string{"a=1\n[s]\nb = 2\n", "\ufeff[ s ]\r\nk\n\tl==\n", "; c\n[a]b]\n x = \"y\" ;\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sections, err := functions.INIDecode(text)
		if err != nil {
			return
		}
		wantRoundTrip(t, sections)
	})
}

// FuzzINIEncode checks that encoded values are decoded to the same values.
func FuzzINIEncode(f *testing.F) {
	f.Add("s", "k", "v", "k2", "")
	f.Add("", "[a", " x", "#", "a;b")
	f.Add("a]", "x:y", "\"q\" = \\", "k", "=")
	f.Fuzz(func(t *testing.T, section, key, value, key2, value2 string) {
		sections := iniFile{section: {key: &value, key2: &value2}}
		if _, err := functions.INIEncode(sections); err == nil {
			wantRoundTrip(t, sections)
		}
	})
}

func wantRoundTrip(t *testing.T, sections iniFile) {
	t.Helper()
	text, err := functions.INIEncode(sections)
	if err != nil {
		t.Fatalf("%v cannot be encoded: %v", describe(sections), err)
	}
	got, err := functions.INIDecode(text)
	want := iniFile{}
	for section, keys := range sections {
		kept := map[string]*string{}
		for key, value := range keys {
			if value != nil {
				kept[key] = value
			}
		}
		if section != "" || len(kept) > 0 {
			want[section] = kept
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("decoded %q, error %v (-want +got):\n%s", text, err, diff)
	}
	if again, err := functions.INIEncode(got); again != text || err != nil {
		t.Fatalf("%q is encoded again as %q, %v; want it unchanged", text, again, err)
	}
}

func describe(sections iniFile) string {
	text := ""
	for section, keys := range sections {
		for key, value := range keys {
			text += fmt.Sprintf("%q.%q ", section, key)
			if value != nil {
				text += fmt.Sprintf("= %q ", *value)
			}
		}
	}
	return text
}
