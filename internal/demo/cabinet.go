package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Cabinet stores states in the notebook.
type Cabinet struct {
	// Drawer is the directory of the states in the notebook.
	Drawer string
}

// Constraints returns the pattern of drawer, which excludes paths to other directories.
func (*Cabinet) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("drawer", `^[a-z]+$`, "lower-case letters")}
}

// Defaults makes drawer optional.
func (c *Cabinet) Defaults() { c.Drawer = "states" }

type keptState struct{ Bytes []byte }

type keptLock struct{ ID, Operation string }

// Open checks that the notebook is writable.
func (c *Cabinet) Open(_ context.Context, n *Notebook) error {
	return n.put(c.Drawer+"-open", "probe", n.owner)
}

// ChunkSize returns a small size, so that there are several chunks.
func (*Cabinet) ChunkSize(proposed int64) int64 { return min(proposed, 1<<10) }

// Read returns the content of a state and its size.
func (c *Cabinet) Read(_ context.Context, n *Notebook, id string) (io.ReadCloser, int64, error) {
	var s keptState
	if err := n.get(c.Drawer, id, &s); err != nil {
		return nil, 0, err
	}
	return io.NopCloser(bytes.NewReader(s.Bytes)), int64(len(s.Bytes)), nil
}

// Write stores a state after all of it was received.
func (c *Cabinet) Write(_ context.Context, n *Notebook, id string, state io.Reader, _ int64) error {
	raw, err := io.ReadAll(state)
	if err != nil {
		return err
	}
	return n.put(c.Drawer, id, keptState{raw})
}

// Lock locks a state. If it is locked already, the error is a [*runtime.LockedError].
func (c *Cabinet) Lock(_ context.Context, n *Notebook, id, operation string) (string, error) {
	var held keptLock
	err := n.get(c.Drawer+"-locks", id, &held)
	switch {
	case err == nil:
		return "", &runtime.LockedError{ID: held.ID, Who: n.owner, Operation: held.Operation}
	case !errors.Is(err, runtime.ErrNotFound):
		return "", err
	}
	lock := keptLock{"lock-of-" + id, operation}
	return lock.ID, n.put(c.Drawer+"-locks", id, lock)
}

// Unlock unlocks a state. It is an error if the state has another lock or none.
func (c *Cabinet) Unlock(_ context.Context, n *Notebook, id, lockID string) error {
	var held keptLock
	if err := n.get(c.Drawer+"-locks", id, &held); err != nil {
		return err
	}
	if held.ID != lockID {
		return fmt.Errorf("the state %q has the lock %q, not %q", id, held.ID, lockID)
	}
	return n.remove(c.Drawer+"-locks", id)
}

// List returns the IDs of all states.
func (c *Cabinet) List(_ context.Context, n *Notebook) ([]string, error) { return n.names(c.Drawer) }

// Delete removes a state. A missing state is not an error.
func (c *Cabinet) Delete(_ context.Context, n *Notebook, id string) error {
	return n.remove(c.Drawer, id)
}
