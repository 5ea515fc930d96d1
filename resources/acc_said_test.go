package resources_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// problem is what an error must say.
type problem struct {
	// attribute is the one whose line in the configuration the error points to;
	// empty when it points to no single one.
	attribute string
	words     []string
}

// diagnosed are the errors of a command, by resource: each has exactly one.
type diagnosed map[string]problem

func (d diagnosed) with(address string, p problem) diagnosed {
	d = maps.Clone(d)
	d[address] = p
	return d
}

// check finds these errors, and no others, in what a command with -json said.
func (d diagnosed) check(t *testing.T, r acctest.Result) {
	t.Helper()
	found := map[string]bool{}
	for _, m := range r.Messages(t) {
		is := m.Diagnostic
		if is.Severity != "error" {
			continue
		}
		text := strings.Join(strings.Fields(is.Summary+": "+is.Detail), " ")
		address := is.Address
		if address == "" {
			// The engine names no resource when it cannot delete one.
			address = d.about(text)
		}
		want, ok := d[address]
		if !ok || found[address] {
			t.Errorf("an error about %q that is not expected: %s", address, text)
			continue
		}
		found[address] = true
		if w := want.lacking(text); w != "" {
			t.Errorf("the error about %s lacks %q: %s", address, w, text)
		}
		name, _, assigns := strings.Cut(strings.TrimSpace(is.Snippet.Code), "=")
		if name = strings.TrimSpace(name); !assigns {
			name = ""
		}
		if name != want.attribute {
			t.Errorf("the error about %s points to %q, want %q: %s", address, name, want.attribute, text)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(d)), slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("resources with errors (-want +got):\n%s", diff)
	}
	if r.Code != 1 {
		t.Errorf("ended with %d, want 1", r.Code)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// about is the resource that has all these words to expect.
func (d diagnosed) about(text string) string {
	for _, address := range slices.Sorted(maps.Keys(d)) {
		if d[address].lacking(text) == "" {
			return address
		}
	}
	return ""
}

// lacking is the first that a text does not say.
func (p problem) lacking(text string) string {
	for _, w := range p.words {
		if !strings.Contains(text, w) {
			return w
		}
	}
	return ""
}
