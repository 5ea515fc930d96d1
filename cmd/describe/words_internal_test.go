package main

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestTrimName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, comment, want string }{
		// "is" before a description.
		{"Path", "Path is the absolute path.", "The absolute path."},
		{"Tags", "Tags are the labels.", "The labels."},
		{"Force", "Force is whether to go on.", "Whether to go on."},
		{"Output", "Output is what is known.", "What is known."},
		{"Mode", "Mode is one of `a` and `b`.", "One of `a` and `b`."},
		{"Owner", "Owner is whose file it is.", "Whose file it is."},
		{"ID", "ID is given by the server.", "Given by the server."},
		{"Name", "Name is printed on it.", "Printed on it."},
		{"Tags", "Tags are words by which it is found.", "Words by which it is found."},
		{"Path", "Path is\nthe absolute path.", "The absolute path."},
		{"Path", "Path\nis the absolute path.", "The absolute path."},
		// A verb.
		{"File", "File manages one file.", "Manages one file."},
		{"Provider", "Provider manages files, directories and links.", "Manages files, directories and links."},
		{"Host", "Host names the server.", "Names the server."},
		{"Limit", "Limit bounds how much is read.", "Bounds how much is read."},
		{"Parents", "Parents says whether to create\ndirectories.", "Says whether to create\ndirectories."},
		// Uncertain: unchanged.
		{"Thing", "Thing is one.", "Thing is one."},
		{"Force", "Force is true where it is forced.", "Force is true where it is forced."},
		{"Size", "Size is bytes in all.", "Size is bytes in all."},
		{"Tags", "Tags are always there.", "Tags are always there."},
		{"Limit", "Limit bounds that apply.", "Limit bounds that apply."},
		{"Exit", "Exit status of the command.", "Exit status of the command."},
		{"Exit", "Exit status the command ends with.", "Exit status the command ends with."},
		{"Host", "Host address the client sees.", "Host address the client sees."},
		{"File", "File as the host sees it.", "File as the host sees it."},
		{"File", "File always the same.", "File always the same."},
		{"Name", "Name of the host.", "Name of the host."},
		{"Tags", "Tags label the host.", "Tags label the host."},
		{"Source", "Source, when set, is the path.", "Source, when set, is the path."},
		// Comments that do not start with the name, or are too short.
		{"File", "Filename is the name.", "Filename is the name."},
		{"Re", "Reads the file.", "Reads the file."},
		{"File", "The file is the one.", "The file is the one."},
		{"File", "File", "File"},
		{"File", "File is", "File is"},
		{"File", "", ""},
	} {
		if got := trimName(tt.name, tt.comment); got != tt.want {
			t.Errorf("trimName(%q, %q) = %q, want %q", tt.name, tt.comment, got, tt.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	p, err := parsePackage(packageDir(t, "package p\n\nimport fs \"io/fs\"\n\nvar _ fs.FileMode\n\nfunc F() {}\n\ntype Thing struct {\n\tContentWO string `tf:\"content_wo,writeonly\"`\n\tOwnerID string\n}\nfunc (Thing) Create() {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ comment, want string }{
		"a paragraph of several lines":   {"One\ntwo.\n\nThree.", "One two.\n\nThree."},
		"a list":                         {"These:\n  - one\n    and on\n  - two", "These:\n\n- one and on\n- two"},
		"a numbered list":                {"These:\n  1. one\n  2. two", "These:\n\n1. one\n2. two"},
		"paragraphs in a list":           {"These:\n\n  - one\n\n    more\n\n  - two", "These:\n\n- one\n\n  more\n\n- two"},
		"code":                           {"So:\n\n\tpath = \"/etc\"\n\n\tmode = 1\n\nDone.", "So:\n\n```\npath = \"/etc\"\n\nmode = 1\n```\n\nDone."},
		"a heading":                      {"Text.\n\n# Modes\n\nMore.", "Text.\n\n**Modes**\n\nMore."},
		"a link to an attribute":         {"See [Thing.OwnerID], [Thing.ContentWO].", "See `owner_id`, `content_wo`."},
		"a link to a type, func, method": {"See [Thing], [F], [Thing.Create].", "See `Thing`, `F`, `Thing.Create`."},
		"a link to another package":      {"See [fs.FileMode].", "See `fs.FileMode`."},
		"not a link":                     {"See [Nothing] and [Thing.Nothing] and [x.File].", "See [Nothing] and [Thing.Nothing] and [x.File]."},
		"a link with a definition":       {"See [the manual].\n\n[the manual]: https://example.com/a", "See [the manual](https://example.com/a)."},
		"an address":                     {"See https://example.com/a.", "See https://example.com/a."},
		"a Markdown link":                {"See [the manual](https://example.com/a).", "See [the manual](https://example.com/a)."},
		"other Markdown":                 {"Set `content_wo` to *one* of a_b_c.", "Set `content_wo` to *one* of a_b_c."},
		"a line that is not a list item": {"From 1\n- one 2\n", "From 1 - one 2"},
		"nothing":                        {"", ""},
	} {
		if diff := cmp.Diff(tt.want, p.markdown(tt.comment)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

type oddNames struct {
	Path, SHA256, OwnerID, HTTPServer, ContentBase64, A, ABC, X509Cert, IPv6Only, UserIDs string
}

// TestSnakeCase checks that attribute names are the same as in package runtime.
func TestSnakeCase(t *testing.T) {
	t.Parallel()
	p, err := runtime.New(runtime.Definition{
		Name:   "odd",
		Config: runtime.MakeConfig(func(context.Context, *oddNames) (runtime.NoConfig, error) { return runtime.NoConfig{}, nil }),
	})
	if err != nil {
		t.Fatal(err)
	}
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	want := slices.Sorted(maps.Keys(schema.Provider.Body.Attributes))
	var got []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[oddNames]()) {
		got = append(got, snakeCase(f.Name))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attribute names (-runtime +describe):\n%s", diff)
	}
}
