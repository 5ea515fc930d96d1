package resourcetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Problem is what an error must contain.
type Problem struct {
	// Attribute is the one whose line of the configuration the error refers to, or
	// empty.
	Attribute string
	Words     []string
}

// NewProblem returns an error about an attribute, which may be empty.
func NewProblem(attribute string, words ...string) Problem {
	return Problem{Attribute: attribute, Words: words}
}

// Erroneous is a resource with an error.
type Erroneous struct {
	Body string // of the configuration
	Problem
}

// Errors returns the configuration of resources, by address, and their errors.
func Errors(cases map[string]Erroneous) (config string, want Diagnosed) {
	bodies, want := map[string]string{}, Diagnosed{}
	for address, c := range cases {
		bodies[address], want[address] = c.Body, c.Problem
	}
	return Blocks(bodies), want
}

// Blocks returns the configuration of resources, by address.
func Blocks(bodies map[string]string) string {
	var b strings.Builder
	for _, address := range slices.Sorted(maps.Keys(bodies)) {
		typeName, name, _ := strings.Cut(address, ".")
		fmt.Fprintf(&b, "resource %q %q {\n%s\n}\n", typeName, name, bodies[address])
	}
	return b.String()
}

// Diagnosed are the errors of a command by resource. Each resource has one.
type Diagnosed map[string]Problem

// With returns the errors and one more.
func (d Diagnosed) With(address string, p Problem) Diagnosed {
	d = maps.Clone(d)
	d[address] = p
	return d
}

// Check ends the test unless these are the errors of a command with -json.
func (d Diagnosed) Check(t *testing.T, r acctest.Result) {
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
			// The engine names no resource if it cannot delete one.
			address = d.about(text)
		}
		want, ok := d[address]
		if !ok || found[address] {
			t.Errorf("an error about %q that is not expected: %s", address, text)
			continue
		}
		found[address] = true
		if w := want.Missing(text); w != "" {
			t.Errorf("the error about %s lacks %q: %s", address, w, text)
		}
		name, _, assigns := strings.Cut(strings.TrimSpace(is.Snippet.Code), "=")
		if name = strings.TrimSpace(name); !assigns {
			name = ""
		}
		if name != want.Attribute {
			t.Errorf("the error about %s points to %q, want %q: %s", address, name, want.Attribute, text)
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

// about returns the resource whose words are all in a text.
func (d Diagnosed) about(text string) string {
	for _, address := range slices.Sorted(maps.Keys(d)) {
		if d[address].Missing(text) == "" {
			return address
		}
	}
	return ""
}

// Missing returns the first of the words that is not in a text.
func (p Problem) Missing(text string) string {
	for _, w := range p.Words {
		if !strings.Contains(text, w) {
			return w
		}
	}
	return ""
}
