package resourcetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Must ends the test where something fails that it needs.
func Must(tb testing.TB, errs ...error) {
	tb.Helper()
	if err := errors.Join(errs...); err != nil {
		tb.Fatal(err)
	}
}

// Check has a step look at the system instead of the state.
func Check(look func() error) resource.TestCheckFunc {
	return func(*terraform.State) error { return look() }
}

// After has a step check the system, as [Check] does, where the configuration has
// for_each: the state that the framework gives to Check has no place for that.
func After(look func() error) []statecheck.StateCheck {
	return []statecheck.StateCheck{StateCheck(look)}
}

// StateCheck checks the system instead of the state.
type StateCheck func() error

// CheckState is part of [statecheck.StateCheck].
func (look StateCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = look()
}

// Plans wants of a plan that it does this to one resource, as [Changes] say it, and
// nothing to others. Empty is nothing at all.
func Plans(address, what string) resource.ConfigPlanChecks {
	want := Changes{}
	if what != "" {
		want[address] = what
	}
	return want.PreApply()
}

// At says whether anything is at a path of this machine, for [Life.Exists].
func At(path string) func() (bool, error) {
	return func() (bool, error) {
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

// Steps are a test case of a provider of these types.
func Steps(t *testing.T, types runtime.Definition, steps ...resource.TestStep) {
	t.Helper()
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories("posix", Provider(types)), Steps: steps})
}
