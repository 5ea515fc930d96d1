package shellfs

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/lease"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// active is what this process writes at the time.
type active struct {
	mu    sync.Mutex
	temps map[string]bool
}

// begin notes a temporary file until end is called.
func (a *active) begin(temp string) (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.temps == nil {
		a.temps = map[string]bool{}
	}
	a.temps[temp] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.temps, temp)
	}
}

func (a *active) has(temp string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.temps[temp]
}

// tidy removes what is left over of target's temporary files. Nothing of this fails
// an operation.
func (f *Files) tidy(ctx context.Context, target string) {
	if found, err := f.batches.Temps(ctx, target); err == nil {
		f.discard(ctx, f.leftover(ctx, target, found)...)
	}
}

// leftover are those of some temporary files of a target that nobody writes.
func (f *Files) leftover(ctx context.Context, target string, temps []string) []string {
	var left, unsure []string
	for _, temp := range temps {
		variant := strings.TrimPrefix(strings.TrimPrefix(temp, host.TempPath(target, "")), "-")
		switch {
		case f.active.has(temp):
		case lease.Abandoned(variant):
			left = append(left, temp)
		default:
			unsure = append(unsure, temp)
		}
	}
	if len(unsure) == 0 {
		return left
	}
	now, err := f.batches.Clock(ctx)
	if err != nil {
		return left
	}
	seen, err := f.batches.Stats(ctx, unsure...)
	if err != nil {
		return left
	}
	for i, is := range seen {
		if is.Err == nil && now.Sub(is.ModTime) > lease.Age {
			left = append(left, unsure[i])
		}
	}
	return left
}

// discard removes temporary files. What can not be removed is left over.
func (f *Files) discard(ctx context.Context, temps ...string) {
	if len(temps) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = f.batches.Ask(ctx, discarding(temps)) // see above
}

func discarding(temps []string) shellrpc.Question {
	return shellrpc.Question{Text: shell.Call("px_discard", temps...)}
}
