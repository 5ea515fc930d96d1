package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Block is the provider's configuration.
type Block struct {
	// Folder is the absolute path of the notebook, which is made when needed.
	Folder string
	// Owner is written on every page.
	Owner string
	// Password opens sessions.
	Password *string `tf:",sensitive"`
}

// Defaults makes owner optional.
func (b *Block) Defaults() { b.Owner = "nobody" }

// Constraints are checked before anything is configured.
func (*Block) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("folder", "^/", "an absolute path"), runtime.Length("owner", 1, 40)}
}

// Notebook is what every type of the provider works with.
type Notebook struct {
	dir, owner, password string
}

func configure(_ context.Context, b *Block) (*Notebook, error) {
	if info, err := os.Stat(b.Folder); err == nil && !info.IsDir() {
		return nil, diag.AttributeErrorf("folder", "%s is not a folder", b.Folder)
	}
	n := &Notebook{dir: b.Folder, owner: b.Owner}
	if b.Password != nil {
		n.password = *b.Password
	}
	return n, nil
}

func (n *Notebook) path(kind, name string) string {
	return filepath.Join(n.dir, kind, name+".json")
}

// put writes an object, all of it or nothing.
func (n *Notebook) put(kind, name string, object any) error {
	raw, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return err
	}
	path := n.path(kind, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// get reads an object; ErrNotFound says that there is none.
func (n *Notebook) get(kind, name string, object any) error {
	raw, err := os.ReadFile(n.path(kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s %q: %w", kind, name, runtime.ErrNotFound)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, object)
}

func (n *Notebook) remove(kind, name string) error {
	err := os.Remove(n.path(kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// names are those of the objects of a kind, sorted.
func (n *Notebook) names(kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(n.dir, kind))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
