package zone

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [store

// Vault stores states in the directory of the zone.
type Vault struct {
	// Room is the directory of the states, below the directory of the zone.
	Room string
}

// Defaults makes room optional.
func (v *Vault) Defaults() { v.Room = "states" }

// Read returns a state.
func (v *Vault) Read(_ context.Context, z *Zone, id string) (io.ReadCloser, int64, error) {
	file, err := os.Open(z.path(v.Room, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("state %s: %w", id, runtime.ErrNotFound)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// Write replaces a state atomically, after receiving the whole new state.
func (v *Vault) Write(_ context.Context, z *Zone, id string, state io.Reader, _ int64) error {
	path := z.path(v.Room, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, state)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Lock creates a lock file. If there is one already, the error wraps a [*runtime.LockedError].
func (v *Vault) Lock(_ context.Context, z *Zone, id, operation string) (string, error) {
	lock := runtime.LockedError{ID: rand.Text(), Operation: operation, Created: time.Now()}
	text, err := json.Marshal(lock)
	if err != nil {
		return "", err
	}
	path := z.path(v.Room+"-locks", id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		var held runtime.LockedError
		return "", errors.Join(z.get(v.Room+"-locks", id, &held), &held)
	}
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	return lock.ID, errors.Join(err, file.Close())
}

// Unlock removes the lock file if it has the lock ID.
func (v *Vault) Unlock(_ context.Context, z *Zone, id, lockID string) error {
	var held runtime.LockedError
	if err := z.get(v.Room+"-locks", id, &held); err != nil {
		return err
	}
	if held.ID != lockID {
		return &held
	}
	return z.remove(v.Room+"-locks", id)
}

// List returns the names of all states.
func (v *Vault) List(_ context.Context, z *Zone) ([]string, error) { return z.names(v.Room) }

// Delete removes a state.
func (v *Vault) Delete(_ context.Context, z *Zone, id string) error { return z.remove(v.Room, id) }

// store]
