// Package store keeps sites, each as one JSON file in a directory: the service that the
// three providers of package sidebyside manage.
//
// All three use this package, so its code is not counted. Like a real service, it checks little,
// sets some values itself (the creation time, the number of writes) and may be slow: while a
// site has a lock file, Put and Delete block, and they fail if the caller's context ends.
//
// Elsewhere: packages ours, framework and sdkv2 have the resource.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrNotFound is the error for a site that does not exist.
var ErrNotFound = errors.New("the site does not exist")

// Site is a stored site. Optional values are nil if unset.
type Site struct {
	Name     string  `json:"name"`
	Port     int64   `json:"port"`
	Protocol string  `json:"protocol"`
	Root     *string `json:"root,omitempty"`
	Redirect *string `json:"redirect,omitempty"`
	Routes   []Route `json:"routes,omitempty"`
	// Settings is a JSON document, as text.
	Settings *string `json:"settings,omitempty"`
	Token    *string `json:"token,omitempty"`

	// Revision and CreatedAt are set by the store; Put ignores them.
	Revision  int64  `json:"revision"`
	CreatedAt string `json:"created_at"`
}

// Route sends the requests below a path to a backend.
type Route struct {
	Path    string `json:"path"`
	Backend string `json:"backend"`
	Weight  *int64 `json:"weight,omitempty"`
}

// URL returns the URL of a site, protocol://name:port.
func URL(protocol, name string, port int64) string {
	return fmt.Sprintf("%s://%s:%d", protocol, name, port)
}

// Store is a directory of sites.
type Store struct{ dir string }

// Open returns the store of a directory, which must exist.
func Open(dir string) (*Store, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	return &Store{dir}, nil
}

// Get returns a site. The error wraps [ErrNotFound] if the site does not exist.
func (s *Store) Get(_ context.Context, name string) (*Site, error) {
	b, err := os.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	var site Site
	if err := json.Unmarshal(b, &site); err != nil {
		return nil, fmt.Errorf("site %s: %w", name, err)
	}
	return &site, nil
}

// Put creates or replaces a site and returns the stored one. Put blocks while the site is
// locked; if ctx ends first, Put returns an error.
func (s *Store) Put(ctx context.Context, site Site) (*Site, error) {
	if err := s.wait(ctx, site.Name); err != nil {
		return nil, err
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	old, err := s.Get(ctx, site.Name)
	switch {
	case errors.Is(err, ErrNotFound):
		site.Revision, site.CreatedAt = 1, now
	case err != nil:
		return nil, err
	default:
		site.Revision, site.CreatedAt = old.Revision+1, old.CreatedAt
	}
	return &site, s.write(site)
}

// Edit changes a site, like a user who does not use the provider: it ignores locks. The error
// wraps [ErrNotFound] if the site does not exist.
func (s *Store) Edit(ctx context.Context, name string, edit func(*Site)) error {
	site, err := s.Get(ctx, name)
	if err != nil {
		return err
	}
	edit(site)
	return s.write(*site)
}

// Delete removes a site, if it exists. Delete blocks while the site is locked; if ctx ends
// first, Delete returns an error.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := s.wait(ctx, name); err != nil {
		return err
	}
	if err := os.Remove(s.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Lock blocks Put and Delete of a site until the returned function is called.
func (s *Store) Lock(name string) (unlock func() error, err error) {
	path := s.path(name) + ".lock"
	return func() error { return os.Remove(path) }, os.WriteFile(path, nil, 0o600)
}

func (s *Store) wait(ctx context.Context, name string) error {
	for {
		if _, err := os.Stat(s.path(name) + ".lock"); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("site %s is locked: %w", name, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

func (s *Store) write(site Site) error {
	b, err := json.MarshalIndent(site, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.path(site.Name), append(b, '\n'), 0o600)
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name+".json") }
