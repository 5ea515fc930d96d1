package demo

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
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run ../../cmd/describe Block Page PageOutput PageID Sheet SheetOutput Badge BadgeOutput BadgeID PageQuery PageResult Meta Session SessionOutput PageSearch Stamp Cabinet

// New returns the provider with notebooks on the local file system.
func New() (provider.Interface, error) { return NewIn(disk{}) }

// NewIn returns the provider with notebooks in storage.
func NewIn(storage Storage) (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "demo",
		Config: runtime.MakeConfig(func(_ context.Context, b *Block) (*Notebook, error) {
			return configure(storage, b)
		}),
		Meta: runtime.MakeMeta[Meta](),
		Resources: map[string]runtime.ResourceRegistration{
			"page":  runtime.MakeResource[Page, *PageOutput, *Notebook](),
			"sheet": runtime.MakeResource[Sheet, *SheetOutput, *Notebook](),
			"badge": runtime.MakeResource[Badge, *BadgeOutput, *Notebook](),
		},
		DataSources: map[string]runtime.DataSourceRegistration{
			"page": runtime.MakeDataSource[PageQuery, *PageResult, *Notebook](),
		},
		EphemeralResources: map[string]runtime.EphemeralRegistration{
			"session": runtime.MakeEphemeral[Session, *SessionOutput, Ticket, *Notebook](),
		},
		Functions: map[string]runtime.FunctionRegistration{
			"shout": runtime.MakeFunc(Shout, runtime.FuncSpec{
				Summary:    "Convert text to upper case.",
				Parameters: []runtime.Param{{Name: "text", Description: "The text."}},
			}),
			"join": runtime.MakeFunc(Join, runtime.FuncSpec{
				Summary: "Join words.",
				Parameters: []runtime.Param{
					{Name: "separator", Description: "Separator of the words; a space if it is null."},
					{Name: "words", Description: "The words."},
				},
			}),
			"certain": runtime.MakeFunc(Certain, runtime.FuncSpec{
				Summary:    "Report whether a value is known.",
				Parameters: []runtime.Param{{Name: "value", Description: "The value."}},
			}),
			"outline": runtime.MakeFunc(Outline, runtime.FuncSpec{
				Summary:    "List the headings of sections.",
				Parameters: []runtime.Param{{Name: "sections", Description: "The sections of a page."}},
			}),
		},
		Lists: map[string]runtime.ListRegistration{
			"page": runtime.MakeLister[PageSearch, *PageOutput, *Notebook](),
		},
		Actions: map[string]runtime.ActionRegistration{
			"stamp": runtime.MakeAction[Stamp, *Notebook](),
		},
		StateStores: map[string]runtime.StateStoreRegistration{
			"cabinet": runtime.MakeStateStore[Cabinet, *Notebook](),
		},
	})
}

// Block is the provider's configuration.
type Block struct {
	// Directory is the absolute path of the notebook. It is created if necessary.
	Directory string
	// Owner is written on every page.
	Owner string
	// Password opens sessions.
	Password *string `tf:",sensitive"`
}

// Defaults makes owner optional.
func (b *Block) Defaults() { b.Owner = "nobody" }

// Constraints returns the rules that are checked before the provider is configured.
func (*Block) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Pattern("directory", "^/", "an absolute path"), runtime.Length("owner", 1, 40)}
}

// Notebook is the configured provider.
type Notebook struct {
	storage              Storage
	dir, owner, password string
}

// SameName reports whether two serials are equal except for case, which does not distinguish badges.
func (*Notebook) SameName(attribute, prior, current string) bool {
	return attribute == "serial" && strings.EqualFold(prior, current)
}

func configure(storage Storage, b *Block) (*Notebook, error) {
	if _, err := storage.List(b.Directory); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diag.AttributeErrorf("directory", "the directory cannot be used as a notebook: %w", err)
	}
	n := &Notebook{storage: storage, dir: b.Directory, owner: b.Owner}
	if b.Password != nil {
		n.password = *b.Password
	}
	return n, nil
}

// path returns the path of an object, which is always in the notebook.
func (n *Notebook) path(kind, name string) string {
	return filepath.Join(n.dir, kind, url.PathEscape(name)+".json")
}

// put writes an object atomically.
func (n *Notebook) put(kind, name string, object any) error {
	raw, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return err
	}
	return n.storage.Write(n.path(kind, name), raw)
}

// get reads an object, or returns ErrNotFound.
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

// names returns the sorted names of the objects of a kind.
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

// Storage stores the files of notebooks. Paths are absolute; the error for a missing
// file or directory is fs.ErrNotExist. Implementations are safe for concurrent use.
type Storage interface {
	Read(path string) ([]byte, error)
	// Write creates missing directories and writes the file atomically.
	Write(path string, content []byte) error
	Remove(path string) error
	// List returns the names in a directory.
	List(directory string) ([]string, error)
}

// disk is the local file system, which other processes can access.
type disk struct{}

func (disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

func (disk) Write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (disk) Remove(path string) error { return os.Remove(path) }

func (disk) List(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// Shout returns the text in upper case.
func Shout(text string) string { return strings.ToUpper(text) }

// Join returns the words joined by the separator, or by a space if it is null. A word with a
// newline is an error.
func Join(separator *string, words ...string) (string, error) {
	sep := " "
	if separator != nil {
		sep = *separator
	}
	for i, w := range words {
		if strings.Contains(w, "\n") {
			return "", runtime.ArgumentError(1+i, errors.New("a word must not have line breaks"))
		}
	}
	return strings.Join(words, sep), nil
}

// Certain reports whether a value is known.
func Certain(value runtime.Value[string]) bool { return !value.IsUnknown() }

// Headed has the attributes of a section that an outline uses; callers may pass sections with more attributes.
type Headed struct {
	Heading string
	Level   int64
}

// Outline returns the headings of sections, indented by level. A level outside of 1 to 6 is an
// error.
func Outline(sections []Headed) ([]string, error) {
	out := make([]string, len(sections))
	for i, s := range sections {
		if s.Level < 1 || s.Level > 6 {
			return nil, runtime.ArgumentError(0, fmt.Errorf("section %d has the level %d, want 1 to 6", i, s.Level))
		}
		out[i] = strings.Repeat("  ", int(s.Level)-1) + s.Heading
	}
	return out, nil
}
