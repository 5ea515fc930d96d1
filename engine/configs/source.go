package configs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
)

// Source is a tree of configuration files. Names are slash-separated. They are relative and
// may start with "..", or are absolute if the directory of Load or the source of a module is.
type Source interface {
	// List returns the names of the files in a directory in any order, without
	// subdirectories. The error wraps fs.ErrNotExist if the directory does not exist.
	List(dir string) ([]string, error)
	// Read returns the content of a file, which must not be modified.
	Read(name string) ([]byte, error)
}

// Located is a Source on disk. Functions such as file resolve relative paths against its Base.
type Located interface {
	Source
	// Base returns the directory that names are relative to, or "" for the working
	// directory.
	Base() string
}

var _ Located = Directory("")

// Files is a Source in memory: it maps names such as "main.tf" or "modules/x/main.tf"
// to contents. The directory "." always exists.
type Files map[string][]byte

// List returns the names of the files in the directory.
func (f Files) List(dir string) ([]string, error) {
	var names []string
	found := dir == "."
	for name := range f {
		in, base := path.Split(path.Clean(name))
		switch in = path.Clean(in); {
		case in == dir:
			names = append(names, base)
		case !found:
			found = strings.HasPrefix(in, dir+"/")
		}
	}
	if !found && len(names) == 0 {
		return nil, fmt.Errorf("directory %s: %w", dir, fs.ErrNotExist)
	}
	return names, nil
}

// Read returns the content of a file.
func (f Files) Read(name string) ([]byte, error) {
	if content, ok := f[name]; ok {
		return content, nil
	}
	for other, content := range f { // the keys of f may not be clean
		if path.Clean(other) == name {
			return content, nil
		}
	}
	return nil, fmt.Errorf("file %s: %w", name, fs.ErrNotExist)
}

// Directory is a Source on disk.
type Directory string

// Base returns the directory.
func (f Directory) Base() string { return string(f) }

// List returns the names of the files in the directory, including symbolic links.
func (f Directory) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(f.path(dir))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Read returns the content of a file.
func (f Directory) Read(name string) ([]byte, error) { return os.ReadFile(f.path(name)) }

func (f Directory) path(name string) string {
	if filepath.IsAbs(filepath.FromSlash(name)) {
		return filepath.FromSlash(name)
	}
	return filepath.Join(string(f), filepath.FromSlash(name))
}

// fileKinds are the suffixes of configuration files. If a directory has the same base
// name with ".tf" and ".tofu", or with ".tf.json" and ".tofu.json", OpenTofu reads only the second file.
var fileKinds = []struct {
	ending, shadows string
	tofu, json      bool
}{
	{ending: ".tf"},
	{ending: ".tf.json", json: true},
	{ending: ".tofu", shadows: ".tf", tofu: true},
	{ending: ".tofu.json", shadows: ".tf.json", tofu: true, json: true},
}

// configFiles returns the sorted configuration files among the names in a directory.
func configFiles(names []string, openTofu bool) []string {
	return slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool {
		return !isConfigFile(name, openTofu) || shadowed(name, names, openTofu)
	})
}

// queryFiles returns the sorted query files among the names in a directory.
func queryFiles(names []string) []string {
	return slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool {
		return !strings.HasSuffix(name, ".tfquery.hcl") || isHidden(name)
	})
}

// isHidden reports whether the name is that of a hidden file or of an editor's backup.
func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#")
}

func isConfigFile(name string, openTofu bool) bool {
	if isHidden(name) {
		return false
	}
	for _, kind := range fileKinds {
		if strings.HasSuffix(name, kind.ending) {
			return !kind.tofu || openTofu
		}
	}
	return false
}

func shadowed(name string, names []string, openTofu bool) bool {
	if !openTofu {
		return false
	}
	for _, kind := range fileKinds {
		if kind.shadows == "" {
			continue
		}
		if base, ok := strings.CutSuffix(name, kind.shadows); ok && slices.Contains(names, base+kind.ending) {
			return true
		}
	}
	return false
}

// isOverride reports whether the file is an override file, whose blocks are merged into
// others.
func isOverride(name string) bool {
	for _, kind := range fileKinds {
		if base, ok := strings.CutSuffix(name, kind.ending); ok {
			return base == "override" || strings.HasSuffix(base, "_override")
		}
	}
	return false
}

// parse parses one file and keeps it in l.files, unless it cannot be read. The returned file is never nil.
func (l *loader) parse(dir, name string) (*hcl.File, hcl.Diagnostics) {
	full := path.Join(dir, name)
	empty := &hcl.File{Body: hcl.EmptyBody()}
	src, err := l.source.Read(full)
	if err != nil {
		return empty, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Failed to read file",
			Detail: "Cannot read the file \"" + full + "\": " + err.Error() + ".",
		}}
	}
	var file *hcl.File
	var diags hcl.Diagnostics
	if strings.HasSuffix(name, ".json") {
		file, diags = json.Parse(src, full)
	} else {
		file, diags = hclsyntax.ParseConfig(src, full, hcl.InitialPos)
	}
	if file == nil || file.Body == nil {
		file = empty
		file.Bytes = src
	}
	l.files[full] = file
	return file, diags
}
