package configs

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Options are what files do not say about themselves.
type Options struct {
	// Terraform reads as Terraform does, where it differs from OpenTofu.
	Terraform bool
	// Hostname and Namespace complete a provider's source that leaves them out;
	// empty is the flavor's registry, and "hashicorp".
	Hostname, Namespace string
	// Version is what required_version is compared with; empty accepts every
	// well-formed requirement.
	Version string
}

// product is the engine's name in messages.
func (o Options) product() string {
	if o.Terraform {
		return "Terraform"
	}
	return "OpenTofu"
}

// maxDepth bounds the tree of modules: folders that call each other have none.
const maxDepth = 64

// Load reads the module in the folder dir of the source ("." is the source's
// own) and those that it calls. The Config is as good as the files: not nil, but
// only whole if no message is an error.
func Load(source Source, dir string, opts Options) (*Config, hcl.Diagnostics) {
	l := &loader{source: source, opts: opts, files: map[string]*hcl.File{}}
	root := &Config{Children: map[string]*Config{}, Files: l.files}
	if located, ok := source.(Located); ok {
		root.Base = located.Base()
	}
	dir = path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	names, err := source.List(dir)
	if err != nil {
		root.Module = newModule(dir, opts)
		return root, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Failed to read module directory",
			Detail: "The folder " + dir + " of the module cannot be read: " + err.Error() + ".",
		}}
	}
	diags := l.load(root, dir, names, []string{dir})
	diags = append(diags, checkRoot(root)...)
	if diags.HasErrors() { // what is missing would only be missed again
		return root, diags
	}
	if diags = append(diags, checkCalls(root, nil)...); !diags.HasErrors() {
		diags = append(diags, takeArguments(root)...)
	}
	return root, diags
}

type loader struct {
	source Source
	opts   Options
	files  map[string]*hcl.File
}

// load fills c with what the folder says, and its children with theirs. dirs
// are the folders from the root to this one.
func (l *loader) load(c *Config, dir string, names, dirs []string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	c.Module, diags = l.module(dir, names)
	for _, name := range sortedKeys(c.Module.ModuleCalls) {
		diags = append(diags, l.child(c, c.Module.ModuleCalls[name], dirs)...)
	}
	return diags
}

// child loads what a module block calls.
func (l *loader) child(c *Config, call *ModuleCall, dirs []string) hcl.Diagnostics {
	child := &Config{Path: c.Path.Child(call.Name), Parent: c, Children: map[string]*Config{}, Base: c.Base, Files: l.files}
	c.Children[call.Name] = child
	child.Module = newModule("", l.opts)
	if call.Source == "" { // already said
		return nil
	}
	dir := call.Source
	if !filepath.IsAbs(filepath.FromSlash(dir)) {
		dir = path.Join(c.Module.Dir, dir)
	}
	child.Module.Dir = dir
	if len(dirs) >= maxDepth || slices.Contains(dirs, dir) {
		return hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Module calls itself", Subject: call.SourceRange.Ptr(),
			Detail: "The folder " + dir + " is called from itself: " + strings.Join(append(slices.Clone(dirs), dir), ", then ") + ". A module cannot be its own descendant.",
		}}
	}
	names, err := l.source.List(dir)
	if err != nil {
		detail := "The folder " + dir + ", which is the source of module \"" + call.Name + "\", cannot be read: " + err.Error() + "."
		if errors.Is(err, fs.ErrNotExist) {
			detail = "The folder " + dir + ", which is the source of module \"" + call.Name + "\", does not exist."
		}
		return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Unreadable module directory", Subject: call.SourceRange.Ptr(), Detail: detail}}
	}
	return l.load(child, dir, names, append(slices.Clip(dirs), dir))
}

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
