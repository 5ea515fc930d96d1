package resourcetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Life is the whole life of one resource.
type Life struct {
	Provider func() (provider.Interface, error)
	// Config has the resource, and what it needs around it.
	Config string
	// Address is the resource's, as "posix_user.deploy".
	Address string
	// ImportID is the id it is imported by, without a host: with one it is tried,
	// too.
	ImportID string
	// WithHost is the id with the host; empty is "local:" before ImportID.
	WithHost string

	// Drifts are changes made by hand, by what they change. Each attribute that is
	// managed has one, and there is one that removes the object.
	Drifts map[string]Drift
	// NotImported are the attributes that an import cannot know, as write-only
	// versions and what says how to make the object: they may differ after it.
	NotImported []string
	// Exists says whether the object is there. It is asked after the destruction.
	Exists func() (bool, error)
	// Stays says that the object outlives the resource, as the name of a host does:
	// Exists is not asked.
	Stays bool
	// Identifier is an attribute that no other resource of the type in Config has the
	// same value of; empty is "name".
	Identifier string
	// Before are steps that run first, if any.
	Before []resource.TestStep
}

// Drift is a change that somebody makes by hand.
type Drift struct {
	// Make makes it.
	Make func() error
	// Plan is what the next plan does about it, as [Changes] say it: "update shell".
	Plan string
	// Others are what it does about other resources by their address, if anything.
	Others Changes
	// Nightly says that it is made in the nightly tier only, as one that shows the same
	// about another attribute, or in less time, is made in all of them.
	Nightly bool
	// Check looks whether the apply has repaired it on the system, if not nil. The
	// plan after the apply is always empty.
	Check func() error
}

// Run lives it. Each part begins with the object that the part before has left.
func (l Life) Run(t *testing.T) {
	t.Helper()
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", l.Provider),
		Steps:                    l.steps(t),
		CheckDestroy:             l.gone,
	})
}

func (l Life) steps(t *testing.T) []resource.TestStep {
	steps := slices.Clone(l.Before)
	steps = append(steps, resource.TestStep{Config: l.Config})
	steps = append(steps, l.drifts()...)
	steps = append(steps, l.imports()...)
	return append(steps, l.adoption(t))
}

func (l Life) drifts() []resource.TestStep {
	var steps []resource.TestStep
	for _, name := range slices.Sorted(maps.Keys(l.Drifts)) {
		d := l.Drifts[name]
		if d.Nightly && !tier.Pick(false, false, true) {
			continue
		}
		want := Changes{}
		maps.Copy(want, d.Others)
		if d.Plan != "" {
			want[l.Address] = d.Plan
		}
		step := resource.TestStep{
			Config:           l.Config,
			PreConfig:        must(name, d.Make),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{want}},
		}
		if d.Check != nil {
			step.Check = func(*terraform.State) error {
				if err := d.Check(); err != nil {
					return fmt.Errorf("after the repair of %s: %w", name, err)
				}
				return nil
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// must is a step's preparation, whose failure ends the test.
func must(name string, do func() error) func() {
	return func() {
		if err := do(); err != nil {
			panic(fmt.Sprintf("drift %s cannot be made: %v", name, err))
		}
	}
}

// imports are by id, with and without the host, and by identity. A plan of one in
// a block shows no change.
func (l Life) imports() []resource.TestStep {
	byID := resource.TestStep{
		ResourceName: l.Address, ImportState: true, ImportStateId: l.ImportID,
		ImportStateVerify: true, ImportStateVerifyIgnore: l.NotImported, ImportStateVerifyIdentifierAttribute: cmp.Or(l.Identifier, "name"),
	}
	withHost := byID
	withHost.ImportStateId = cmp.Or(l.WithHost, "local:"+l.ImportID)
	steps := []resource.TestStep{byID, withHost}
	if len(l.NotImported) > 0 {
		return steps // a plan would rightly show what an import cannot know
	}
	return append(steps,
		resource.TestStep{ResourceName: l.Address, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: l.ImportID},
		resource.TestStep{ResourceName: l.Address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
	)
}

// adoption creates what is there and as wanted, on behalf of another state, and
// destroys it again: what has lost its object meanwhile is destroyed without an
// error by the first state.
func (l Life) adoption(t *testing.T) resource.TestStep {
	return resource.TestStep{Config: l.Config, ExpectNonEmptyPlan: !l.Stays, Check: func(*terraform.State) error {
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.Factories("posix", l.Provider),
			Steps:                    append(slices.Clone(l.Before), resource.TestStep{Config: l.Config}),
			CheckDestroy:             l.gone,
		})
		return nil
	}}
}

func (l Life) gone(*terraform.State) error {
	if l.Stays {
		return nil
	}
	exists, err := l.Exists()
	if err == nil && exists {
		err = fmt.Errorf("%s was destroyed, and is there", l.Address)
	}
	return err
}
