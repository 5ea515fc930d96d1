package sidebyside_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// byDesign are what ours does not do, and why.
var byDesign = map[string]string{
	"detects that an attribute was set that the configuration leaves unset, and unsets it": "an attribute that is only optional is managed when it is set",
}

// TestOurs acts every scenario with ours, in which nothing may fail; what the
// others do is on the page, see TestPage.
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

// TestNoMistake makes sure that what is found is the mistake.
func TestNoMistake(t *testing.T) {
	t.Parallel()
	for _, c := range sidebyside.Contenders() {
		if got := sidebyside.Blame(t.Context(), c, mistake.None); got.Finder != sidebyside.Nobody {
			t.Errorf("%s: without a mistake, one is found %s: %s", c.Title, got.Finder, got.Said)
		}
	}
}

// TestOursFindsMistakesItself: no mistake is left to the client or its user.
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
