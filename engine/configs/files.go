package configs

import (
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
)

// fileKinds are the endings of configuration files. Where a folder has the same
// name with two endings of which one is "tofu", OpenTofu reads that one alone.
var fileKinds = []struct {
	ending, shadows string
	tofu, json      bool
}{
	{ending: ".tf"},
	{ending: ".tf.json", json: true},
	{ending: ".tofu", shadows: ".tf", tofu: true},
	{ending: ".tofu.json", shadows: ".tf.json", tofu: true, json: true},
}

// configFiles picks the configuration files out of a folder's names, sorted.
func configFiles(names []string, openTofu bool) []string {
	var out []string
	for _, name := range names {
		if isConfigFile(name, openTofu) && !shadowed(name, names, openTofu) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func isConfigFile(name string, openTofu bool) bool {
	// Editors leave such files behind.
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") {
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

// isOverride reports whether the file's blocks are merged into those of others.
func isOverride(name string) bool {
	for _, kind := range fileKinds {
		if base, ok := strings.CutSuffix(name, kind.ending); ok {
			return base == "override" || strings.HasSuffix(base, "_override")
		}
	}
	return false
}

// parse reads one file. The file is not nil, whatever is wrong with it.
func (l *loader) parse(dir, name string) (*hcl.File, hcl.Diagnostics) {
	full := path.Join(dir, name)
	empty := &hcl.File{Body: hcl.EmptyBody()}
	src, err := l.source.Read(full)
	if err != nil {
		return empty, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Failed to read file",
			Detail: "The file \"" + full + "\" could not be read: " + err.Error() + ".",
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
