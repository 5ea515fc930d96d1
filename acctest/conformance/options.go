package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/provider"
)

// EnvSeed is the environment variable with the seed of a report. If it is set, only the
// case of that report is run.
const EnvSeed = "ACCTEST_SEED"

// Options configure [Conformance] and [Find].
type Options struct {
	// Provider returns a new instance that is not configured. It is called for each
	// phase of a run (plan, apply, refresh), because clients start a provider for each
	// of them: persistent data must be outside of the instance.
	Provider func(ctx context.Context) (provider.Interface, error)
	// OneInstance uses one instance for everything, because starting one is expensive.
	OneInstance bool
	// Flavor is the flavor of complete runs.
	Flavor engine.Flavor
	// Config is the provider's configuration; cty.NilVal sets nothing.
	Config cty.Value
	// Reset restores the environment of the provider to its initial state, if not nil.
	// It is called before each case, so that a bug in one case does not show in
	// another.
	Reset func(ctx context.Context) error

	// Fail, if not nil, makes the n-th operation of the provider on its environment
	// fail, counted from 0, until mend is called. It is used to interrupt an apply;
	// otherwise the context of the apply is canceled.
	Fail func(n int) (mend func())

	// Types are the resource types to check, with details that their schemas do not
	// have; nil means all.
	Types map[string]Type
	// Waive has the ids of laws that are not checked, with the reasons.
	Waive map[string]string

	// Runs is the number of cases per type; 0 means 200, or 20 with -short.
	Runs int
	// Seed is the seed of all random values; 0 means one from the clock. The report
	// contains it.
	Seed uint64
	// ShrinkFor is the time limit for minimizing a case; 0 means two seconds.
	ShrinkFor time.Duration
}

// Type has details of a resource type that its schema does not have. Attributes are
// named by their path without keys, such as "path" or "rule.port".
type Type struct {
	// Values generate attributes that are not arbitrary. These are not minimized in
	// reports.
	Values map[string]func(r *rand.Rand) cty.Value
	// Leave are attributes and blocks that are never set.
	Leave []string
	// Fix, if not nil, changes a configuration before it is validated, for example
	// attributes that depend on each other.
	Fix func(r *rand.Rand, config map[string]cty.Value)

	// StateOnly are attributes that the provider cannot read: they are only in
	// configuration and state, and missing after an import. "timeouts" always is one.
	StateOnly []string
	// Volatile are attributes that change by themselves.
	Volatile []string
	// MutableIdentity means that the identity may change during the life of the object,
	// as the provider's author has declared.
	MutableIdentity bool
	// Logical means that the object exists only in the state, such as a random number.
	Logical bool

	// ImportID returns the import id of an object, if not nil. Types with an identity
	// are also imported by identity.
	ImportID func(state cty.Value) string
	// Drift, if not nil, changes the object outside of Terraform. The next refresh must
	// find a change.
	Drift func(ctx context.Context, state cty.Value) error
}

func (o Options) check() error {
	if o.Provider == nil {
		return errors.New("conformance: Options.Provider is not set")
	}
	for id := range o.Waive {
		if !slices.ContainsFunc(laws, func(l Law) bool { return l.ID == id }) {
			return fmt.Errorf("conformance: Options.Waive has %q, which is not a law", id)
		}
	}
	return nil
}
