package engine

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Flavor is whose verdicts an engine gives where Terraform and OpenTofu differ.
type Flavor int

const (
	// OpenTofu is the default, since it is what can be run everywhere.
	OpenTofu Flavor = iota
	// Terraform is Terraform 1.14 and later.
	Terraform
)

// String is the flavor's name.
func (f Flavor) String() string {
	if f == Terraform {
		return "Terraform"
	}
	return "OpenTofu"
}

// Factory makes an instance of a provider that is not configured.
type Factory func(ctx context.Context) (provider.Interface, error)

// Options are what an engine is made of.
type Options struct {
	Flavor Flavor
	// Providers has the providers that configurations may use. One instance is
	// made for the schema, and one for each configuration and walk.
	Providers map[addrs.Provider]Factory
	// Parallelism is how many objects are worked on at once; 0 means 10.
	Parallelism int
	// Observe is told each call of a provider after it returned, if not nil. It
	// is called from many goroutines.
	Observe func(Call)
}

// Call is one call of a provider, for the timing view.
type Call struct {
	// RPC is the protocol's name of the call; Object what it was about: an
	// address, or a provider.
	RPC, Object string
	Begin       time.Time
	Took        time.Duration
}

// PlanOptions are what a plan is asked for.
type PlanOptions struct {
	Mode        plans.Mode
	SkipRefresh bool
	// Variables are those of the root module, converted to their types by the
	// engine; what is missing has its default.
	Variables    map[string]cty.Value
	ForceReplace []addrs.AbsResourceInstance
	// Targets limit the plan to objects and what they need; empty means all.
	// A string is an address of a module, a resource or an instance.
	Targets []string
	// Imports are objects to take over besides the import blocks, as by the
	// import command.
	Imports []ImportTarget
	// GenerateConfig writes configuration for imports that have none.
	GenerateConfig bool

	// unconditional leaves out conditions: a refresh before a destruction.
	unconditional bool
}

// ImportTarget is an object to take over, by its id or by its identity.
type ImportTarget struct {
	Addr     addrs.AbsResourceInstance
	ID       string
	Identity cty.Value
}
