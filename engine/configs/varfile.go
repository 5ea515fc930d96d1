package configs

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// LoadVariableFiles reads the files that set root variables without being asked
// to: terraform.tfvars, terraform.tfvars.json, and then *.auto.tfvars and
// *.auto.tfvars.json by name. Later ones win. Values are as they are written:
// Variable.Convert gives them their types.
func LoadVariableFiles(source Source, dir string) (map[string]cty.Value, hcl.Diagnostics) {
	values := map[string]cty.Value{}
	names, err := source.List(dir)
	if err != nil {
		return values, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Failed to read module directory",
			Detail: "The folder " + dir + " cannot be read: " + err.Error() + ".",
		}}
	}
	var always, auto []string
	for _, name := range names {
		switch {
		case name == "terraform.tfvars" || name == "terraform.tfvars.json":
			always = append(always, name)
		case strings.HasSuffix(name, ".auto.tfvars") || strings.HasSuffix(name, ".auto.tfvars.json"):
			auto = append(auto, name)
		}
	}
	slices.Sort(always)
	slices.Sort(auto)
	var diags hcl.Diagnostics
	for _, name := range append(always, auto...) {
		set, more := LoadVariableFile(source, path.Join(dir, name))
		diags = append(diags, more...)
		maps.Copy(values, set)
	}
	return values, diags
}

// LoadVariableFile reads one file that sets root variables.
func LoadVariableFile(source Source, name string) (map[string]cty.Value, hcl.Diagnostics) {
	l := &loader{source: source, files: map[string]*hcl.File{}}
	file, diags := l.parse(path.Split(name))
	if body, native := file.Body.(*hclsyntax.Body); native {
		// A common slip: a declaration was meant to be a value.
		for _, block := range body.Blocks {
			if block.Type == "variable" && len(block.Labels) == 1 {
				return nil, append(diags, errorf(block.TypeRange, "Variable declaration in .tfvars file",
					"A .tfvars file sets variables that are declared elsewhere: write %s = ... instead of the block.", block.Labels[0]))
			}
		}
	}
	attrs, more := file.Body.JustAttributes()
	diags = append(diags, more...)
	values := make(map[string]cty.Value, len(attrs))
	for _, name := range sortedKeys(attrs) {
		value, more := attrs[name].Expr.Value(nil)
		diags = append(diags, more...)
		values[name] = value
	}
	return values, diags
}
