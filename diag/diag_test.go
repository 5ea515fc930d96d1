package diag_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

func TestFormatPath(t *testing.T) {
	t.Parallel()
	for want, path := range map[string]cty.Path{
		"":                {},
		"a":               cty.GetAttrPath("a"),
		"a.b[0].c":        cty.GetAttrPath("a").GetAttr("b").IndexInt(0).GetAttr("c"),
		`a["k\"\n"]`:      cty.GetAttrPath("a").IndexString("k\"\n"),
		"set[*].x":        cty.GetAttrPath("set").Index(cty.ObjectVal(map[string]cty.Value{"secret": cty.StringVal("hush")})).GetAttr("x"),
		"list[*]":         cty.GetAttrPath("list").Index(cty.UnknownVal(cty.Number)),
		"list[1000000]":   cty.GetAttrPath("list").Index(cty.NumberIntVal(1_000_000)),
		"marked[*]":       cty.GetAttrPath("marked").Index(cty.StringVal("hush").Mark("secret")),
		"[0]":             cty.IndexIntPath(0),
		`["k"].attribute`: cty.IndexStringPath("k").GetAttr("attribute"),
	} {
		if got := diag.FormatPath(path); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestFromError(t *testing.T) {
	t.Parallel()
	cause := errors.New("it is broken")
	path := cty.GetAttrPath("a").IndexInt(1)
	message := diag.Diagnostic{Severity: diag.Error, Summary: "Own summary", Detail: "Own detail."}
	at := func(path cty.Path, detail string) diag.Diagnostic {
		return diag.Diagnostic{Severity: diag.Error, Summary: "Summary", Detail: detail, Path: path}
	}
	for name, tt := range map[string]struct {
		err  error
		want diag.Diagnostics
	}{
		"nil":                           {nil, nil},
		"error without a path":          {cause, diag.Diagnostics{at(nil, "it is broken")}},
		"of an attribute":               {diag.AttributeErrorf("a", "it is %s", "broken"), diag.Diagnostics{at(cty.GetAttrPath("a"), "it is broken")}},
		"nested paths are concatenated": {diag.WithPath(cty.GetAttrPath("a"), diag.WithPath(cty.IndexIntPath(1), cause)), diag.Diagnostics{at(path, "it is broken")}},
		"cty's own path error":          {path.NewError(cause), diag.Diagnostics{at(path, "it is broken")}},
		"both kinds of paths":           {diag.WithPath(cty.GetAttrPath("a"), cty.IndexIntPath(1).NewError(cause)), diag.Diagnostics{at(path, "it is broken")}},
		"joined": {
			errors.Join(cause, diag.AttributeErrorf("a", "worse")),
			diag.Diagnostics{at(nil, "it is broken"), at(cty.GetAttrPath("a"), "worse")},
		},
		"joined below a path": {
			diag.WithPath(cty.GetAttrPath("a"), errors.Join(cause, diag.WithPath(cty.IndexIntPath(1), cause))),
			diag.Diagnostics{at(cty.GetAttrPath("a"), "it is broken"), at(path, "it is broken")},
		},
		"text around an error is kept": {fmt.Errorf("while reading: %w", cause), diag.Diagnostics{at(nil, "while reading: it is broken")}},
		"text around a path is kept": {
			fmt.Errorf("while reading: %w", diag.AttributeErrorf("a", "it is broken")),
			diag.Diagnostics{at(cty.GetAttrPath("a"), "while reading: a: it is broken")},
		},
		"text around two errors is kept": {fmt.Errorf("%w, because: %w", cause, cause), diag.Diagnostics{at(nil, "it is broken, because: it is broken")}},
		"text around two warnings": {
			fmt.Errorf("while reading: %w", errors.Join(diag.AsWarning(cause), diag.AsWarning(cause))),
			diag.Diagnostics{{Severity: diag.Warning, Summary: "Summary", Detail: "while reading: it is broken\nit is broken"}},
		},
		"diagnostic is kept":                       {message, diag.Diagnostics{message}},
		"diagnostic gets the path of an attribute": {diag.WithPath(cty.GetAttrPath("a"), message), diag.Diagnostics{{Summary: "Own summary", Detail: "Own detail.", Path: cty.GetAttrPath("a")}}},
		"list of diagnostics":                      {diag.Diagnostics{message, message}, diag.Diagnostics{message, message}},
		"warning":                                  {diag.AsWarning(cause), diag.Diagnostics{{Severity: diag.Warning, Summary: "Summary", Detail: "it is broken"}}},
		"warning among errors": {
			errors.Join(diag.AsWarning(diag.AttributeErrorf("a", "old")), cause),
			diag.Diagnostics{{Severity: diag.Warning, Summary: "Summary", Detail: "old", Path: cty.GetAttrPath("a")}, at(nil, "it is broken")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := diag.FromError("Summary", tt.err)
			paths := cmp.Comparer(func(a, b cty.Path) bool { return a.Equals(b) })
			if diff := cmp.Diff(tt.want, got, paths); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPathsAreNotShared(t *testing.T) {
	t.Parallel()
	path := cty.GetAttrPath("a")
	err := diag.WithPath(path, errors.New("x"))
	path[0] = cty.GetAttrStep{Name: "b"}
	if got := diag.FromError("", err)[0].Path; !got.Equals(cty.GetAttrPath("a")) {
		t.Errorf("the error's path changed to %s, want a", diag.FormatPath(got))
	}
}

func TestErr(t *testing.T) {
	t.Parallel()
	var none diag.Diagnostics
	warned := none.Warnf(nil, "Careful", "It is %s.", "hot")
	if warned.HasErrors() || warned.Err() != nil {
		t.Error("HasErrors or Err reports an error for a warning, want no error")
	}
	failed := warned.Errorf(cty.GetAttrPath("a"), "Broken", "It is %s.", "cold")
	if want := "a: Broken: It is cold."; failed.Err() == nil || failed.Err().Error() != want {
		t.Errorf("Err is %v, want %s", failed.Err(), want)
	}
	if diag.WithPath(cty.GetAttrPath("a"), nil) != nil || diag.AsWarning(nil) != nil {
		t.Error("WithPath or AsWarning returned an error for a nil error")
	}
}

// TestFromErrorSetsEmptySummary checks that a diagnostic without a summary gets the given summary, also as one of several.
func TestFromErrorSetsEmptySummary(t *testing.T) {
	t.Parallel()
	got := diag.FromError("Cannot plan", errors.Join(diag.Diagnostics{{Detail: "a"}, {Summary: "Own", Detail: "b"}}, diag.Diagnostic{Detail: "c"}))
	want := diag.Diagnostics{{Summary: "Cannot plan", Detail: "a"}, {Summary: "Own", Detail: "b"}, {Summary: "Cannot plan", Detail: "c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}
