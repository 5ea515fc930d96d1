package service

import (
	"context"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/memory"
)

// logManager is a manager with only a log.
type logManager struct {
	manager
	text string
}

func (m logManager) log(context.Context) string { return m.text }

// TestFailure checks the layout of the error of a service that does not start, with a log and without one.
func TestFailure(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "town"})
	for text, want := range map[string]string{
		"":       "the service web on host town does not start: it is failed. Fix the cause, and apply again",
		"no\n\n": "the service web on host town does not start: it is failed.\nThe last lines of its log:\n  no\nFix the cause, and apply again",
	} {
		if err := failure(t.Context(), h, "web", logManager{text: text}, state{status: "failed"}, "start", nil); err.Error() != want {
			t.Errorf("log %q: got %q, want %q", text, err, want)
		}
	}
}
