package file_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// FuzzContent checks drift and imports of any content: the state has the exact content or
// null, any content other than the configured one is a change, and a plan with the imported
// content has no changes.
func FuzzContent(f *testing.F) {
	for _, content := range []string{"", "x", "x\n", "\xff", "e\u0301", "é", "a\x00b", "\x1b[m", "\ufeff", "\u2028", "\U0001f9ff", "\xed\xa0\x80"} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		h := resourcetest.NewHost(nil)
		p := resourcetest.NewOn(t, types, h)
		drift := func() {
			t.Helper()
			if _, err := h.WriteFile(t.Context(), "/o", bytes.NewReader(content), host.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		set := attrs{"path": str("/o"), "content": str("configured")}
		o := resourcetest.NewObject(t, p, "posix_file")
		o.Apply(set)
		drift()
		o.Refresh()
		if c := o.Attr("content"); !c.IsNull() && c.AsString() != string(content) {
			t.Errorf("the state has %q, want %q or null", c.AsString(), content)
		}
		changed := !o.Plan(set).PlannedState.RawEquals(o.State)
		if changed != (string(content) != "configured") {
			t.Errorf("%q planned as a change: %t, want %t", content, changed, !changed)
		}

		o.Forget()
		if diags := o.Import("/o", cty.NilVal); diags.HasErrors() {
			t.Fatal(diags)
		}
		imported := attrs{"path": str("/o"), "mode": o.Attr("mode"), "content": o.Attr("content"), "content_base64": o.Attr("content_base64")}
		o.NoChange(imported)
		if err := h.Remove(t.Context(), "/o"); err != nil {
			t.Fatal(err)
		}
		o.Refresh()
		o.Apply(imported)
		_, r, err := h.Open(t.Context(), "/o")
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(back, content) {
			t.Errorf("the imported content %q is created as %q (%v), want it unchanged", content, back, err)
		}
	})
}
