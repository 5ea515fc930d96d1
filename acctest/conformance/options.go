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

// EnvSeed names the environment variable that has the seed of a report: the case
// of that report is tried and no other.
const EnvSeed = "ACCTEST_SEED"

// Options say what is tried, and what a schema does not tell.
type Options struct {
	// Provider makes an instance that is not configured. It is called for each
	// phase of a run (plan, apply, refresh), as clients start a provider anew for
	// each: what has to last must be outside of the instance.
	Provider func(ctx context.Context) (provider.Interface, error)
	// OneInstance: an instance costs much to make, as a process does, and serves
	// for everything.
	OneInstance bool
	// Flavor is whose verdicts whole runs are given.
	Flavor engine.Flavor
	// Config is the provider's configuration; cty.NilVal is one that sets
	// nothing.
	Config cty.Value
	// Reset makes what is outside of the provider as it was at the beginning, if
	// not nil. It is called before each case, and is what keeps a bug in one case
	// from showing in another.
	Reset func(ctx context.Context) error

	// Fail makes the n-th thing that the provider asks of the outside fail,
	// counted from 0, if not nil; mend ends that. With it, and by the end of its
	// context otherwise, an apply is broken off in the middle.
	Fail func(n int) (mend func())

	// Types are the resource types to try, with what their schema does not tell;
	// nil means all.
	Types map[string]Type
	// Waive has laws that are not asked for, by id with the reason.
	Waive map[string]string

	// Runs is how many cases are tried for each type; 0 means 200, or 20 with
	// -short.
	Runs int
	// Seed decides everything that is random. 0 means one from the clock, which
	// the report has.
	Seed uint64
	// ShrinkFor is how long a case that breaks a law is made smaller; 0 means
	// two seconds.
	ShrinkFor time.Duration
}

// Type is what a schema does not tell about a resource type. Attributes are
// named by their path without keys, as "path" or "rule.port".
type Type struct {
	// Values make values for attributes that not every value fits. They are not
	// made smaller in reports.
	Values map[string]func(r *rand.Rand) cty.Value
	// Leave are attributes and blocks that are never set.
	Leave []string
	// Fix changes a configuration before it is judged, if not nil: attributes
	// that depend on each other, say.
	Fix func(r *rand.Rand, config map[string]cty.Value)

	// StateOnly are attributes that the provider cannot read back: they are in
	// configuration and state alone, and missing after an import. "timeouts"
	// always is one.
	StateOnly []string
	// Volatile are attributes that change without anybody changing them.
	Volatile []string
	// MutableIdentity: the identity may change while the object lives, as the
	// provider's author has declared.
	MutableIdentity bool
	// Logical: the object is nowhere but in the state, as a random number is.
	Logical bool

	// ImportID is the import id of an object, if not nil. Types with an identity
	// are imported by that, too.
	ImportID func(state cty.Value) string
	// Drift changes the object behind the provider's back, if not nil. The next
	// refresh has to find something.
	Drift func(ctx context.Context, state cty.Value) error
}

func (o Options) check() error {
	if o.Provider == nil {
		return errors.New("conformance: Options.Provider is not set, so there is nothing to try")
	}
	for id := range o.Waive {
		if !slices.ContainsFunc(laws, func(l Law) bool { return l.ID == id }) {
			return fmt.Errorf("conformance: Options.Waive names %q, which is no law", id)
		}
	}
	return nil
}
