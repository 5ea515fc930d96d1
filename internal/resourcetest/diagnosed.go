package resourcetest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Problem has the texts that an error must contain.
type Problem struct {
	// Attribute is the attribute whose line in the configuration the error refers to, or
	// "".
	Attribute string
	Words     []string
}

// NewProblem returns a problem of an attribute, which may be "".
func NewProblem(attribute string, words ...string) Problem {
	return Problem{Attribute: attribute, Words: words}
}

// Erroneous is the configuration of a resource, and its error.
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

// Diagnosed has the expected errors of a command by the address of the resource. Each
// resource has one.
type Diagnosed map[string]Problem

// With returns the errors and one for another resource.
func (d Diagnosed) With(address string, p Problem) Diagnosed {
	d = maps.Clone(d)
	d[address] = p
	return d
}

// Check ends the test unless a command with -json failed with exactly these errors.
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
			// An error of a deletion has no address.
			address = d.about(text)
		}
		want, ok := d[address]
		if !ok || found[address] {
			t.Errorf("unexpected error about %q: %s", address, text)
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
		t.Errorf("exit code %d, want 1", r.Code)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// about returns the address of a resource whose words are all in a text, or "".
func (d Diagnosed) about(text string) string {
	for _, address := range slices.Sorted(maps.Keys(d)) {
		if d[address].Missing(text) == "" {
			return address
		}
	}
	return ""
}

// Missing returns the first of the words that is not in a text, or "".
func (p Problem) Missing(text string) string {
	for _, w := range p.Words {
		if !strings.Contains(text, w) {
			return w
		}
	}
	return ""
}

// NoErrors ends the test if there is an error among the diagnostics.
func NoErrors(t *testing.T, diags diag.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
}

// WantError fails the test unless an error about the attribute contains all these words.
// If attribute is "", any error may contain them.
func WantError(t *testing.T, diags diag.Diagnostics, attribute string, words ...string) {
	t.Helper()
	for _, d := range diags {
		if d.Severity != diag.Error || attribute != "" && diag.FormatPath(d.Path) != attribute {
			continue
		}
		text := d.Summary + ": " + d.Detail
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			return
		}
	}
	t.Errorf("no error about %q contains %q: %v", attribute, words, diags)
}

// WantWords fails the test unless a text contains all these words, ignoring line breaks.
func WantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	oneLine := strings.Join(strings.Fields(text), " ")
	for _, word := range words {
		if !strings.Contains(oneLine, strings.Join(strings.Fields(word), " ")) {
			t.Errorf("%q is missing in:\n%s", word, text)
		}
	}
}

func wantAttrs(t *testing.T, got cty.Value, want Attrs) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if v := got.GetAttr(name); !v.RawEquals(want[name]) {
			t.Errorf("%s is %#v, want %#v", name, v, want[name])
		}
	}
}

// OneLine returns the output of an engine without line breaks and frames.
func OneLine(output string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(output)), " ")
}

// Fails applies a configuration that must fail with an error that contains the words.
// If planned is set, the plan must fail.
func Fails(t *testing.T, p func() (provider.Interface, error), config string, planned bool, words string) {
	t.Helper()
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps:                    []resource.TestStep{{Config: config, PlanOnly: planned, ExpectError: Words(words)}},
	})
}

// Words returns a pattern that matches a text that the command has wrapped.
func Words(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}
