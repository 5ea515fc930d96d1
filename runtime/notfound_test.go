package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// status is an error with a method Is.
type status struct{ cause error }

func (s status) Error() string        { return "404: " + s.cause.Error() }
func (s status) Unwrap() error        { return s.cause }
func (s status) Is(target error) bool { return errors.Is(target, runtime.ErrNotFound) }

func isMissing(m diag.Diagnostic) bool {
	return strings.Contains(m.Detail, `there is no test_fragile "a" to import`)
}

// TestAbsent checks in each method that may return ErrNotFound that the object is absent only
// if nothing else failed, and that warnings are reported in any case.
func TestAbsent(t *testing.T) {
	t.Parallel()
	denied, gone := errors.New("permission denied"), fmt.Errorf("alias: %w", runtime.ErrNotFound)
	slow := diag.AsWarning(errors.New("slow"))
	const (
		absent = iota
		fails
		warns // the object exists
	)
	for name, tt := range map[string]struct {
		err  error
		want int
		text string // in the diagnostics
	}{
		"wrapped":                         {gone, absent, ""},
		"joined with another absent one":  {errors.Join(gone, runtime.ErrNotFound), absent, ""},
		"in one text with its cause":      {fmt.Errorf("%w: %w", runtime.ErrNotFound, denied), absent, ""},
		"in one text after an error":      {fmt.Errorf("stat: %w; list: %w", denied, runtime.ErrNotFound), fails, "permission denied"},
		"by a method Is":                  {fmt.Errorf("request: %w", status{denied}), absent, ""},
		"joined with a warning":           {errors.Join(slow, gone), absent, "slow"},
		"bare, joined with a warning":     {errors.Join(slow, runtime.ErrNotFound), absent, "slow"},
		"joined with a warning, in text":  {errors.Join(gone, fmt.Errorf("two requests: %w", errors.Join(slow, gone))), absent, "slow"},
		"joined with an error":            {errors.Join(gone, denied), fails, "permission denied"},
		"joined with an error, with text": {fmt.Errorf("two requests: %w", errors.Join(denied, gone)), fails, "permission denied"},
		"joined with an error, at a path": {diag.WithPath(cty.GetAttrPath("name"), errors.Join(gone, denied)), fails, "permission denied"},
		"as a warning":                    {diag.AsWarning(gone), warns, "alias: object not found"},
		"as a warning with an error":      {errors.Join(diag.AsWarning(gone), denied), fails, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reported := func(diags diag.Diagnostics) bool {
				return strings.Contains(diags.Error(), tt.text) && (tt.text == "") == (len(diags) == 0)
			}
			check := func(method string, isAbsent bool, diags diag.Diagnostics) {
				t.Helper()
				if isAbsent != (tt.want == absent) || diags.HasErrors() != (tt.want == fails) || !reported(diags) {
					t.Errorf("%s: absent %t, diagnostics %v, want absent %t, error %t and text %q", method, isAbsent, diags, tt.want == absent, tt.want == fails, tt.text)
				}
			}
			tr, d := newFragile(t)
			d.apply(d.config(attrs{"name": str("a")}))
			tr.read, tr.update = tt.err, tt.err
			read := d.p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: d.typeName, PriorState: d.state, Private: d.private, CurrentIdentity: d.identity})
			check("Read", read.NewState.IsNull(), read.Diagnostics)

			// An import reports an absent object, in addition to the warnings.
			imported := d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "a"}).Diagnostics
			missing := slices.ContainsFunc(imported, isMissing)
			check("Import", missing, slices.DeleteFunc(imported, isMissing))

			// A Delete with only a warning has deleted the object.
			deletion := d.destroyWith(d.private)
			if deletion.HasErrors() != (tt.want == fails) || d.state.IsNull() != (tt.want != fails) || !reported(deletion) {
				t.Errorf("Delete: state %s, diagnostics %v, want error %t and text %q", show(t, d.state), deletion, tt.want == fails, tt.text)
			}

			o := &office{}
			k := tokens{t, o.provider(t)}
			private := k.open(t.Context(), str("reader")).Private
			o.close = func(context.Context, TokenSession) error { return tt.err }
			closed := k.p.CloseEphemeralResource(t.Context(), provider.CloseEphemeralResourceRequest{TypeName: "test_token", Private: private}).Diagnostics
			check("Close", tt.want == absent, closed)

			s := newShed()
			s.states["a"] = []byte("state")
			c := s.client(t)
			c.configure(100)
			s.do = func(context.Context, string) error { return tt.err }
			state, _, diags := c.read("a")
			check("Read of a state", len(state) == 0 && !diags.HasErrors(), diags)
			check("Delete of a state", tt.want == absent, c.p.DeleteState(t.Context(), provider.DeleteStateRequest{TypeName: shedType, StateID: "a"}).Diagnostics)

			p := lookups(t, func(_ context.Context, l *Lookup) (*LookupOutput, error) { return l.found(), tt.err })
			data := readData(t, p, dataConfig(t, p, attrs{"name": str("a")})).Diagnostics
			if missing := strings.Contains(data.Error(), "Cannot find"); missing != (tt.want == absent) || data.HasErrors() == (tt.want == warns) ||
				!strings.Contains(data.Error(), tt.text) {
				t.Errorf("Read of a data source: %v, want missing %t, error %t and text %q", data, tt.want == absent, tt.want != warns, tt.text)
			}

			things := newStore().add("a")
			things.fail["Read"] = tt.err
			listed := found(t, things.listing(t), provider.ListResourceRequest{Config: filter(attrs{"partial": cty.True}), IncludeResourceObject: true})
			lines := strings.Join(listed, "\n")
			if strings.Contains(lines, `id {"name":"a"`) == (tt.want == absent) || !strings.Contains(lines, tt.text) || tt.text == "" && len(listed) > 0 {
				t.Errorf("List: %q", listed)
			}
		})
	}
}

// TestAbsentAfterTheTimeout checks that an object is deleted if Delete finds it absent after
// the timeout of the delete.
func TestAbsentAfterTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slowWorld{defaults: runtime.OperationTimeouts{Delete: time.Minute}}
		d := w.driver(t)
		d.apply(d.slow("a", "", nil))
		w.ignores, w.takes, w.fails = true, map[string]time.Duration{"Delete": time.Hour}, runtime.ErrNotFound
		d.destroy()
	})
}
