package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
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
	storage              Storage
	dir, owner, password string
}

func configure(storage Storage, b *Block) (*Notebook, error) {
	if _, err := storage.List(b.Folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diag.AttributeErrorf("folder", "this cannot be a notebook: %w", err)
	}
	n := &Notebook{storage: storage, dir: b.Folder, owner: b.Owner}
	if b.Password != nil {
		n.password = *b.Password
	}
	return n, nil
}

// path is where an object is. No name leads out of the notebook.
func (n *Notebook) path(kind, name string) string {
	return filepath.Join(n.dir, kind, url.PathEscape(name)+".json")
}

// put writes an object, all of it or nothing.
func (n *Notebook) put(kind, name string, object any) error {
	raw, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return err
	}
	return n.storage.Write(n.path(kind, name), raw)
}

// get reads an object; ErrNotFound says that there is none.
func (n *Notebook) get(kind, name string, object any) error {
	raw, err := n.storage.Read(n.path(kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s %q: %w", kind, name, runtime.ErrNotFound)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, object)
}

func (n *Notebook) remove(kind, name string) error {
	err := n.storage.Remove(n.path(kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// names are those of the objects of a kind, sorted.
func (n *Notebook) names(kind string) ([]string, error) {
	files, err := n.storage.List(filepath.Join(n.dir, kind))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, file := range files {
		name, ok := strings.CutSuffix(file, ".json")
		if name, err := url.PathUnescape(name); ok && err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
