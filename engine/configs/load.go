package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Options configure how files are read.
type Options struct {
	// Terraform selects the rules of Terraform where OpenTofu differs.
	Terraform bool
	// Hostname and Namespace are the defaults of provider sources. If they are
	// empty, the flavor's registry and "hashicorp" are the defaults.
	Hostname, Namespace string
	// Version is compared with required_version; if empty, every valid requirement is
	// met.
	Version string
	// Query makes Load also read the query files (.tfquery.hcl) of the root module, as the query
	// command of Terraform does.
	Query bool
}

// product returns Terraform or OpenTofu, for messages.
func (o Options) product() string {
	if o.Terraform {
		return "Terraform"
	}
	return "OpenTofu"
}

// maxDepth limits the depth of the tree of modules, for modules that call each
// other by different paths.
const maxDepth = 64

// Load loads the module in the directory dir of the source ("." is the source's own)
// and the modules that it calls. The Config is never nil, but may be incomplete if
// there are errors.
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
			Detail: "Cannot read the module directory " + dir + ": " + err.Error() + ".",
		}}
	}
	diags := l.load(root, dir, names, []string{dir})
	diags = append(diags, checkRoot(root)...)
	if diags.HasErrors() { // further checks would report consequences of these errors
		return root, diags
	}
	if diags = append(diags, checkCalls(root, nil)...); !diags.HasErrors() {
		diags = append(diags, setArguments(root)...)
	}
	return root, diags
}

type loader struct {
	source Source
	opts   Options
	files  map[string]*hcl.File
}

// load reads the directory into c, and the directories of the called modules into the children
// of c. dirs are the directories from the root module to dir.
func (l *loader) load(c *Config, dir string, names, dirs []string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	c.Module, diags = l.module(dir, names, l.opts.Query && c.Parent == nil)
	for _, name := range sortedKeys(c.Module.ModuleCalls) {
		diags = append(diags, l.child(c, c.Module.ModuleCalls[name], dirs)...)
	}
	return diags
}

// child loads the module of a module block.
func (l *loader) child(c *Config, call *ModuleCall, dirs []string) hcl.Diagnostics {
	child := &Config{Path: c.Path.Child(call.Name), Parent: c, Children: map[string]*Config{}, Base: c.Base, Files: l.files}
	c.Children[call.Name] = child
	child.Module = newModule("", l.opts)
	if call.Source == "" { // reported already
		return nil
	}
	dir := call.Source
	if !filepath.IsAbs(filepath.FromSlash(dir)) {
		dir = path.Join(c.Module.Dir, dir)
	}
	child.Module.Dir = dir
	if slices.Contains(dirs, dir) {
		return hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Module calls itself", Subject: call.SourceRange.Ptr(),
			Detail: "The module in the directory " + dir + " calls itself: " + strings.Join(append(slices.Clone(dirs), dir), ", then ") + ". A module cannot be its own descendant.",
		}}
	}
	if len(dirs) >= maxDepth {
		return hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Modules nested too deeply", Subject: call.SourceRange.Ptr(),
			Detail: fmt.Sprintf("The in-process engine supports up to %d levels of modules, including the root module. "+
				"Check that no module calls itself by another path: %s.", maxDepth, strings.Join(append(slices.Clone(dirs), dir), ", then ")),
		}}
	}
	names, err := l.source.List(dir)
	if err != nil {
		detail := "Cannot read the directory " + dir + ", the source of module \"" + call.Name + "\": " + err.Error() + "."
		if errors.Is(err, fs.ErrNotExist) {
			detail = "The directory " + dir + ", the source of module \"" + call.Name + "\", does not exist."
		}
		return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Unreadable module directory", Subject: call.SourceRange.Ptr(), Detail: detail}}
	}
	return l.load(child, dir, names, append(slices.Clip(dirs), dir))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
