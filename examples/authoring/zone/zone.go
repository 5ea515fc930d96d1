package zone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// [block

// Block is the provider block.
type Block struct {
	// Directory is the absolute path of the directory with the zone's files.
	Directory string
	// Origin is the name of the zone.
	Origin string
	// Password allows the creation of keys.
	Password *string `tf:",sensitive"`
}

// Defaults makes origin optional.
func (b *Block) Defaults() { b.Origin = "example.org" }

// Constraints returns the rules that are checked before the provider is configured.
func (*Block) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("directory", "^/", "an absolute path")}
}

func configure(_ context.Context, b *Block) (*Zone, error) {
	if info, err := os.Stat(b.Directory); err == nil && !info.IsDir() {
		return nil, diag.AttributeErrorf("directory", "%s is not a directory", b.Directory)
	}
	return &Zone{directory: b.Directory, origin: b.Origin, locked: b.Password == nil}, nil
}

// block]

// Zone is used by all types of the provider, like the client of a service. An object is a
// JSON file, which can also be changed by hand.
type Zone struct {
	directory, origin string
	locked            bool // the provider has no password
}

// path returns the path of the file of an object. It escapes the name, so that the file is
// always in the directory of its kind.
func (z *Zone) path(kind, name string) string {
	return filepath.Join(z.directory, kind, url.PathEscape(name)+".json")
}

// put writes an object atomically.
func (z *Zone) put(kind, name string, object any) error {
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return err
	}
	path := z.path(kind, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// get reads an object. The error wraps [runtime.ErrNotFound] only if the file does not exist.
func (z *Zone) get(kind, name string, object any) error {
	text, err := os.ReadFile(z.path(kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s %s: %w", kind, name, runtime.ErrNotFound)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, object)
}

// remove removes an object. It succeeds if the object does not exist.
func (z *Zone) remove(kind, name string) error {
	if err := os.Remove(z.path(kind, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// names returns the names of all objects of a kind, sorted.
func (z *Zone) names(kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(z.directory, kind))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			name, err := url.PathUnescape(name)
			if err != nil {
				return nil, err
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
