package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Conformance checks the laws on the resource types of a provider and fails the test
// with a report for each type that breaks one. It also fails the test if types cannot be checked.
func Conformance(tb testing.TB, options Options) {
	tb.Helper()
	if options.Runs == 0 && testing.Short() {
		options.Runs = 20
	}
	report, err := Find(tb.Context(), options)
	if err != nil {
		tb.Error(err)
	}
	if report == nil {
		return
	}
	for _, f := range report.Findings {
		tb.Error(f.String())
	}
	tb.Log(report.String())
}

// Report is the result of [Find].
type Report struct {
	// Findings are the broken laws, at most one per type.
	Findings []*Finding
	Seed     uint64
	// Types has the statistics of each type by name.
	Types map[string]*Tried
	// Calls is the number of provider calls. Outside of complete runs, the calls that start an
	// instance are not counted.
	Calls int
}

// Tried has the statistics of a resource type.
type Tried struct {
	// Cases is the number of cases that were started. Refused is the number of those
	// that ended early because the provider refused a plan or an apply, which is allowed.
	Cases, Refused int
	// Reasons are the latest messages of refusals, by operation.
	Reasons map[string]string

	done    map[operation]bool
	refused map[operation]*refusal
}

// refusal has the number of refusals of an operation, and the first one.
type refusal struct {
	times int
	diags diag.Diagnostics
	steps []step
	seed  string
}

// maxReason is the maximum length of a reason in a report, in characters.
const maxReason = 300

// String returns the number of calls, the seed, and for each type a line and the reasons for
// its refusals.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d calls, seed %d", r.Calls, r.Seed)
	for _, name := range slices.Sorted(maps.Keys(r.Types)) {
		t := r.Types[name]
		fmt.Fprintf(&b, "\n%s: %s, %d of them ended early", name, diag.Count(t.Cases, "case"), t.Refused)
		for _, op := range slices.Sorted(maps.Keys(t.Reasons)) {
			reason := []rune(indented(t.Reasons[op]))
			if len(reason) > maxReason {
				reason = append(reason[:maxReason], '…')
			}
			fmt.Fprintf(&b, "\n  %s: %s", op, string(reason))
		}
	}
	return b.String()
}

// Find checks the laws like [Conformance] and returns the report. The error explains
// why types could not be checked. The report is nil if Options.Provider is not set, if
// Options.Waive or the value of EnvSeed is invalid, or if the provider cannot be started.
func Find(ctx context.Context, options Options) (report *Report, err error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	only, err := parseReplay(os.Getenv(EnvSeed))
	if err != nil {
		return nil, err
	}
	w := &checker{Options: options}
	w.Runs, w.ShrinkFor = cmp.Or(w.Runs, 200), cmp.Or(w.ShrinkFor, 2*time.Second)
	if only != nil {
		w.Seed = only.seed
	}
	w.Seed = cmp.Or(w.Seed, uint64(time.Now().UnixNano()))
	p, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, p.Close())
	}()
	report = &Report{Seed: w.Seed, Types: map[string]*Tried{}}
	names := slices.Sorted(maps.Keys(w.Types))
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(w.schema.ResourceTypes))
	}
	var errs []error
	for _, name := range names {
		if only != nil && only.typeName != name {
			continue
		}
		f, err := w.tryType(ctx, name, report, only)
		if f != nil {
			report.Findings = append(report.Findings, f)
		}
		errs = append(errs, err)
	}
	report.Calls = int(w.calls.Load())
	return report, errors.Join(errs...)
}

// replay identifies a case, so that the case can be run on its own.
type replay struct {
	typeName string
	seed     uint64
	number   int
}

func (r replay) String() string { return fmt.Sprintf("%s:%d:%d", r.typeName, r.seed, r.number) }

func parseReplay(text string) (*replay, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, fmt.Errorf("conformance: %s is %q, want TYPE:SEED:NUMBER as in the report of a finding", EnvSeed, text)
	}
	seed, err := strconv.ParseUint(parts[1], 10, 64)
	number, err2 := strconv.Atoi(parts[2])
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("conformance: %s is %q: %w", EnvSeed, text, err)
	}
	return &replay{parts[0], seed, number}, nil
}

// random returns the random source of the case. It depends on the seed, the type and
// the number only, so that the case can run without those before it.
func (r replay) random() *rand.Rand {
	sum := uint64(14695981039346656037)
	for _, b := range []byte(r.typeName) {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(r.seed, sum+uint64(r.number)))
}

// EnvSeed is the environment variable with the replay value of a finding. If it is set,
// only the case of that finding is run.
const EnvSeed = "ACCTEST_SEED"

// Options configure [Conformance] and [Find].
type Options struct {
	// Provider returns a new instance that is not configured. It is called for each
	// phase of a run (plan, apply, refresh), because clients start a provider for each
	// of them. Persistent data must be outside of the instance.
	Provider func(ctx context.Context) (provider.Interface, error)
	// OneInstance uses one instance for all cases, for providers that are slow to start.
	OneInstance bool
	// Flavor selects the rules of OpenTofu or Terraform for complete runs.
	Flavor engine.Flavor
	// Config is the provider's configuration; cty.NilVal sets nothing.
	Config cty.Value
	// Reset restores the environment of the provider to its initial state, if not nil.
	// It is called before each case, so that a bug in one case does not show in
	// another.
	Reset func(ctx context.Context) error

	// Fail, if not nil, makes the n-th operation of the provider on its environment
	// fail, counted from 0, until mend is called. It is used to interrupt an apply or a
	// destroy. If Fail is nil, the context of the apply or destroy is canceled instead.
	Fail func(n int) (mend func())

	// Types are the resource types to check, with details that their schemas do not
	// have; empty means all.
	Types map[string]Type
	// Waive has the IDs of laws that are not checked, with the reasons. The law
	// "schema-lawful" cannot be waived, because the others need a valid schema.
	Waive map[string]string

	// Runs is the number of cases per type; 0 means 200, or 20 in Conformance with -short.
	// An operation that is always refused is a finding only if it is refused at least 8 times,
	// because fewer refusals can be chance.
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
	// Values generate the values of attributes and blocks that must not be arbitrary, with
	// their exact type. Minimizing a case may omit such a value, but does not change it.
	Values map[string]func(r *rand.Rand) cty.Value
	// Leave are the attributes and blocks that configurations never set.
	Leave []string
	// Fix, if not nil, changes a generated configuration before it is validated, for example
	// attributes that depend on each other.
	Fix func(r *rand.Rand, config map[string]cty.Value)

	// StateOnly are attributes that the provider cannot read: they are only in
	// configuration and state, and missing after an import. "timeouts" is always included.
	StateOnly []string
	// Volatile are attributes that may change without an apply.
	Volatile []string
	// MutableIdentity means that the identity may change during the life of the object,
	// as the provider's author has declared.
	MutableIdentity bool
	// Logical means that the object exists only in the state, like a random number.
	Logical bool

	// ImportID returns the import ID of an object, if not nil. Types with an identity
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
			return fmt.Errorf("conformance: Options.Waive has %q, which is not the ID of a law", id)
		}
		if id == lawSchema {
			return fmt.Errorf("conformance: Options.Waive has %q, but the other laws need a valid schema: remove the entry and correct the schema", id)
		}
	}
	return nil
}
