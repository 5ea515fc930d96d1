package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// status is an error that says itself what it is.
type status struct{ cause error }

func (s status) Error() string        { return "404: " + s.cause.Error() }
func (s status) Unwrap() error        { return s.cause }
func (s status) Is(target error) bool { return errors.Is(target, runtime.ErrNotFound) }

// TestAbsent checks in each method that may return ErrNotFound that the object is absent only
// if nothing else failed, and that warnings are reported in any case.
func TestAbsent(t *testing.T) {
	t.Parallel()
	denied, gone := errors.New("permission denied"), fmt.Errorf("alias: %w", runtime.ErrNotFound)
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
		"by a method Is":                  {fmt.Errorf("request: %w", status{denied}), absent, ""},
		"joined with a warning":           {errors.Join(diag.AsWarning(errors.New("slow")), gone), absent, "slow"},
		"joined with an error":            {errors.Join(gone, denied), fails, "permission denied"},
		"joined with an error, with text": {fmt.Errorf("two requests: %w", errors.Join(denied, gone)), fails, "permission denied"},
		"joined with an error, at a path": {diag.WithPath(cty.GetAttrPath("name"), errors.Join(gone, denied)), fails, "permission denied"},
		"as a warning":                    {diag.AsWarning(gone), warns, "alias: object not found"},
		"as a warning with an error":      {errors.Join(diag.AsWarning(gone), denied), fails, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(method string, isAbsent bool, diags diag.Diagnostics) {
				t.Helper()
				if isAbsent != (tt.want == absent) || diags.HasErrors() != (tt.want == fails) || !strings.Contains(diags.Error(), tt.text) {
					t.Errorf("%s: absent %t, diagnostics %v", method, isAbsent, diags)
				}
			}
			tr, d := newFragile(t)
			d.apply(d.config(attrs{"name": str("a")}))
			tr.read, tr.update = tt.err, tt.err
			read := d.p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: d.typeName, PriorState: d.state, Private: d.private, CurrentIdentity: d.identity})
			check("Read", read.NewState.IsNull(), read.Diagnostics)

			imported := d.p.ImportResourceState(t.Context(), provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "a"})
			if missing := strings.Contains(imported.Diagnostics.Error(), `there is no test_fragile "a" to import`); missing != (tt.want == absent) ||
				imported.Diagnostics.HasErrors() == (tt.want == warns) || missing && len(imported.Diagnostics) != 1 {
				t.Errorf("Import: %v", imported.Diagnostics)
			}

			// A Delete with only a warning has deleted the object.
			deletion := d.destroyWith(d.private)
			if deletion.HasErrors() != (tt.want == fails) || d.state.IsNull() != (tt.want != fails) || !strings.Contains(deletion.Error(), tt.text) {
				t.Errorf("Delete: state %s, diagnostics %v", show(t, d.state), deletion)
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
			if missing := strings.Contains(data.Error(), "Cannot find"); missing != (tt.want == absent) || data.HasErrors() == (tt.want == warns) {
				t.Errorf("Read of a data source: %v", data)
			}

			things := newStore().add("a")
			things.fail["Read"] = tt.err
			listed := found(t, things.listing(t), provider.ListResourceRequest{Config: filter(attrs{"partial": cty.True}), IncludeResourceObject: true})
			if (len(listed) == 0) != (tt.want == absent) {
				t.Errorf("List: %v", listed)
			}
		})
	}
}

// TestAbsentAfterTheTimeout checks that an object is deleted if Delete finds it absent after
// its timeout.
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
