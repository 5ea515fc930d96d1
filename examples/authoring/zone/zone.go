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

// Block is what the provider block says.
type Block struct {
	// Folder is the absolute path of the folder with the zone's files.
	Folder string
	// Origin is the zone's own name.
	Origin string
	// Password opens the zone for keys.
	Password *string `tf:",sensitive"`
}

// Defaults makes origin optional.
func (b *Block) Defaults() { b.Origin = "example.org" }

// Constraints are checked before anything is configured.
func (*Block) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("folder", "^/", "an absolute path")}
}

func configure(_ context.Context, b *Block) (*Zone, error) {
	if info, err := os.Stat(b.Folder); err == nil && !info.IsDir() {
		return nil, diag.AttributeErrorf("folder", "%s is not a folder", b.Folder)
	}
	return &Zone{folder: b.Folder, origin: b.Origin, locked: b.Password == nil}, nil
}

// block]

// Zone is what all types of the provider work with: it stands for the client of
// a service. An object is a file of JSON, which somebody can change by hand.
type Zone struct {
	folder, origin string
	locked         bool // there is no password
}

// path is where an object is kept; no name leads out of the folder.
func (z *Zone) path(kind, name string) string {
	return filepath.Join(z.folder, kind, url.PathEscape(name)+".json")
}

// put keeps an object, all of it or nothing.
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

// get fills in the object. ErrNotFound is for a file that is proven to be absent
// and nothing else: what cannot be read is not gone.
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

// remove removes an object; one that is gone already is removed.
func (z *Zone) remove(kind, name string) error {
	if err := os.Remove(z.path(kind, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// names are those of all objects of a kind, sorted.
func (z *Zone) names(kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(z.folder, kind))
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
