package resources_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
)

// FuzzContent states the laws of content that was not configured: what state
// says of it is true to the byte, it is never taken for what was configured, and
// what was imported is no change when it is configured.
func FuzzContent(f *testing.F) {
	for _, content := range []string{"", "x", "x\n", "\xff", "e\u0301", "é", "a\x00b", "\x1b[m", "\ufeff", "\u2028", "\U0001f9ff", "\xed\xa0\x80"} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		h := town(nil)
		p := newPosixOn(t, h)
		drift := func() {
			t.Helper()
			if _, err := h.WriteFile(t.Context(), "/o", bytes.NewReader(content), host.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		set := attrs{"path": str("/o"), "content": str("configured")}
		o := newObject(t, p, "posix_file")
		o.apply(set)
		drift()
		o.refresh()
		if c := o.attr("content"); !c.IsNull() && c.AsString() != string(content) {
			t.Errorf("the file has %q, state %q", content, c.AsString())
		}
		changed := !o.plan(set).PlannedState.RawEquals(o.state)
		if changed != (string(content) != "configured") {
			t.Errorf("%q planned as a change: %t", content, changed)
		}

		o.forget()
		if diags := o.imports("/o", cty.NilVal); diags.HasErrors() {
			t.Fatal(diags)
		}
		imported := attrs{"path": str("/o"), "mode": o.attr("mode"), "content": o.attr("content"), "content_base64": o.attr("content_base64")}
		o.noChange(imported)
		if err := h.Remove(t.Context(), "/o"); err != nil {
			t.Fatal(err)
		}
		o.refresh()
		o.apply(imported)
		_, r, err := h.Open(t.Context(), "/o")
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(back, content) {
			t.Errorf("imported %q, created %q (%v)", content, back, err)
		}
	})
}
