package sidebyside_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// byDesign are the capabilities that the runtime lacks, with the reasons.
var byDesign = map[string]string{
	"detects that an attribute was set that the configuration leaves unset, and unsets it": "an attribute that is only optional is managed when it is set",
}

// TestOurs runs every scenario with the runtime, and all must pass; the results of the
// others are on the page, see TestPage.
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
					t.Errorf("it works, although %s", why)
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
		if got := sidebyside.Blame(t.Context(), c, mistake.None); got.Finder != sidebyside.Nobody {
			t.Errorf("%s: without a mistake, one is found %s: %s", c.Title, got.Finder, got.Said)
		}
	}
}

// TestOursFindsMistakesItself checks that no mistake is left for the client or the user
// to find.
func TestOursFindsMistakesItself(t *testing.T) {
	t.Parallel()
	ours := sidebyside.Contenders()[0]
	for _, kind := range mistake.Kinds() {
		switch got := sidebyside.Blame(t.Context(), ours, kind); got.Finder {
		case sidebyside.Nowhere, sidebyside.Start, sidebyside.Server:
		default:
			t.Errorf("that a resource %s is found %s: %s", kind, got.Finder, got.Said)
		}
	}
}
