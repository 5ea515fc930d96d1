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
	Texts     []string
}

// NewProblem returns a problem of an attribute, which may be "".
func NewProblem(attribute string, texts ...string) Problem {
	return Problem{Attribute: attribute, Texts: texts}
}

// FailingConfig is the configuration of a resource, and its error.
type FailingConfig struct {
	Body string // body of the resource block
	Problem
}

// FailingConfigs returns the configuration of the resources in cases, which is keyed by their
// addresses, and their errors.
func FailingConfigs(cases map[string]FailingConfig) (config string, want WantErrors) {
	bodies, want := map[string]string{}, WantErrors{}
	for address, c := range cases {
		bodies[address], want[address] = c.Body, c.Problem
	}
	return Blocks(bodies), want
}

// Blocks returns the configuration of the resources whose bodies are given by address.
func Blocks(bodies map[string]string) string {
	var b strings.Builder
	for _, address := range slices.Sorted(maps.Keys(bodies)) {
		typeName, name, _ := strings.Cut(address, ".")
		fmt.Fprintf(&b, "resource %q %q {\n%s\n}\n", typeName, name, bodies[address])
	}
	return b.String()
}

// WantErrors has the expected errors of a command by the address of the resource. Each
// resource has exactly one error.
type WantErrors map[string]Problem

// With returns a copy of d with the error of one more resource.
func (d WantErrors) With(address string, p Problem) WantErrors {
	d = maps.Clone(d)
	d[address] = p
	return d
}

// Check ends the test unless a command with -json failed with exactly these errors.
func (d WantErrors) Check(t *testing.T, r acctest.Result) {
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

// about returns the first address all of whose expected texts are in text, or "".
func (d WantErrors) about(text string) string {
	for _, address := range slices.Sorted(maps.Keys(d)) {
		if d[address].Missing(text) == "" {
			return address
		}
	}
	return ""
}

// Missing returns the first of Texts that is not in a text, or "".
func (p Problem) Missing(text string) string {
	for _, w := range p.Texts {
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

// WantError fails the test unless an error about the attribute contains all of texts.
// If attribute is "", any error may contain the texts.
func WantError(t *testing.T, diags diag.Diagnostics, attribute string, texts ...string) {
	t.Helper()
	for _, d := range diags {
		if d.Severity != diag.Error || attribute != "" && diag.FormatPath(d.Path) != attribute {
			continue
		}
		text := d.Summary + ": " + d.Detail
		if !slices.ContainsFunc(texts, func(w string) bool { return !strings.Contains(text, w) }) {
			return
		}
	}
	t.Errorf("no error about %q contains %q: %v", attribute, texts, diags)
}

// WantTexts fails the test unless a text contains all of texts, ignoring differences in white space.
func WantTexts(t *testing.T, text string, texts ...string) {
	t.Helper()
	oneLine := strings.Join(strings.Fields(text), " ")
	for _, want := range texts {
		if !strings.Contains(oneLine, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is missing in:\n%s", want, text)
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

// Fails applies a configuration that must fail with an error that contains text.
// If planned is set, Fails only plans, and the plan must fail.
func Fails(t *testing.T, p func() (provider.Interface, error), config string, planned bool, text string) {
	t.Helper()
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", p),
		Steps:                    []resource.TestStep{{Config: config, PlanOnly: planned, ExpectError: WrappedText(text)}},
	})
}

// WrappedText returns a pattern that matches a text that the command has wrapped.
func WrappedText(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}
