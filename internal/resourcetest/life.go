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

// Life is the lifecycle test of one resource.
type Life struct {
	Provider func() (provider.Interface, error)
	// Config is a configuration with the resource and its dependencies.
	Config string
	// Address is the address of the resource, such as "posix_user.deploy".
	Address string
	// ImportID is the import ID without the host. The ID with the host is tested too.
	ImportID string
	// WithHost is the import ID with the host. It defaults to "local:" followed by ImportID.
	WithHost string

	// Drifts are manual changes by name, made in the order of the names: one for each
	// managed attribute, and one that removes the object.
	Drifts map[string]Drift
	// NotImported are attributes that an import cannot read, such as versions of
	// write-only attributes. They may differ after an import. If there
	// are any, import blocks are not tested.
	NotImported []string
	// Exists reports whether the object exists. It is called after the destroy.
	Exists func() (bool, error)
	// Stays means that the object, such as the name of a host, still exists after the
	// destroy. Exists is then not called.
	Stays bool
	// Identifier is an attribute that is unique among the resources of the type in
	// Config. It defaults to "name".
	Identifier string
	// Before are steps that run first, if any.
	Before []resource.TestStep
}

// Drift is a manual change.
type Drift struct {
	// Make makes the change on the host.
	Make func() error
	// Plan is the change of the resource in the next plan, in the form of [Changes], such as
	// "update shell", or "" if there is none.
	Plan string
	// Others are the changes of other resources in that plan.
	Others Changes
	// Nightly means that the change is made only in the nightly tier, because a similar
	// change is made in all tiers.
	Nightly bool
	// Check, if not nil, returns an error if the apply has not repaired the object on the
	// host. The plan after the apply must be empty in any case.
	Check func() error
}

// Run runs the steps in Before, creates the resource, and tests drifts, imports, adoption and
// destroy. Each part continues with the object of the previous part.
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

// must returns a PreConfig function that calls do and panics on an error.
func must(name string, do func() error) func() {
	return func() {
		if err := do(); err != nil {
			panic(fmt.Sprintf("drift %s: %v", name, err))
		}
	}
}

// imports returns steps that import by ID, with and without the host, and, unless NotImported
// is set, with import blocks by ID and by identity. The plan of an import block must have no
// change.
func (l Life) imports() []resource.TestStep {
	byID := resource.TestStep{
		ResourceName: l.Address, ImportState: true, ImportStateId: l.ImportID,
		ImportStateVerify: true, ImportStateVerifyIgnore: l.NotImported, ImportStateVerifyIdentifierAttribute: cmp.Or(l.Identifier, "name"),
	}
	withHost := byID
	withHost.ImportStateId = cmp.Or(l.WithHost, "local:"+l.ImportID)
	steps := []resource.TestStep{byID, withHost}
	if len(l.NotImported) > 0 {
		return steps // a plan would show attributes that an import cannot read
	}
	return append(steps,
		resource.TestStep{ResourceName: l.Address, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: l.ImportID},
		resource.TestStep{ResourceName: l.Address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
	)
}

// adoption returns a step that adopts the existing object in a second state and destroys
// it there. The first state must then destroy the missing object without an error.
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
		err = fmt.Errorf("%s was destroyed, but still exists", l.Address)
	}
	return err
}
