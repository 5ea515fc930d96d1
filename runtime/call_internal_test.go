package runtime

import (
	"errors"
	"testing"
)

// TestDiagnosticsAreNotShared checks that a goroutine that outlives a method and calls Warn does not
// change the diagnostics of the response: a warning must not take the place of the error.
func TestDiagnosticsAreNotShared(t *testing.T) {
	t.Parallel()
	c := &call{}
	ctx := c.context(t.Context())
	for range 3 { // so that the slice has spare capacity
		Warn(ctx, "", "Warning", "During the method.")
	}
	got := c.diagnostics("Cannot work", errors.New("it failed"))
	Warn(ctx, "", "Warning", "After the method.")
	if len(got) != 4 || got[3].Summary != "Cannot work" || !got.HasErrors() {
		t.Errorf("got diagnostics %v, want three warnings and then the error", got)
	}
}
