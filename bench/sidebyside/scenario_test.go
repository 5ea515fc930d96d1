package sidebyside_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// byDesign has the capabilities that the runtime lacks, with the reasons.
var byDesign = map[string]string{
	"detects that an attribute was set although the configuration leaves it unset, and unsets it": "an attribute that is only optional is managed when it is set",
}

// TestOurs checks that the scenarios in byDesign fail with the runtime, and that all others
// pass. The page has the results of the other libraries; see TestPage.
func TestOurs(t *testing.T) {
	t.Parallel()
	ours := sidebyside.Contenders()[0]
	for _, g := range sidebyside.Groups() {
		for _, s := range g.Scenarios {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				err := s.Run(t.Context(), ours)
				switch why := byDesign[s.Name]; {
				case why != "" && err == nil:
					t.Errorf("the scenario passes, want a failure: %s", why)
				case why == "" && err != nil:
					t.Error(err)
				}
			})
		}
	}
}

// TestNoMistake checks that nothing is reported without a mistake.
func TestNoMistake(t *testing.T) {
	t.Parallel()
	for _, c := range sidebyside.Contenders() {
		if got := sidebyside.Detect(t.Context(), c, mistake.None); got.Finder != sidebyside.Nobody {
			t.Errorf("%s: a mistake is found in the correct resource %s, want no mistake: %s", c.Title, got.Finder, got.Said)
		}
	}
}

// TestOursFindsMistakesItself checks that the runtime makes each mistake impossible, or detects it
// at start or in a response.
func TestOursFindsMistakesItself(t *testing.T) {
	t.Parallel()
	ours := sidebyside.Contenders()[0]
	for _, kind := range mistake.Kinds() {
		switch got := sidebyside.Detect(t.Context(), ours, kind); got.Finder {
		case sidebyside.Nowhere, sidebyside.Start, sidebyside.Server:
		default:
			t.Errorf("a resource that %s: the finder is %q, want %q, %q or %q: %s",
				kind, got.Finder, sidebyside.Nowhere, sidebyside.Start, sidebyside.Server, got.Said)
		}
	}
}
