package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// variables returns the values of a root module's variables. Given values take precedence
// over variable files, and these over the environment. Undeclared variables are ignored;
// the command also warns of those in files.
func variables(root *configs.Config, files *fileSet, given config.Variables) (map[string]cty.Value, error) {
	declared := root.Module.Variables
	if len(declared) == 0 {
		return nil, nil
	}
	out := map[string]cty.Value{}
	for name, v := range declared {
		text, ok := os.LookupEnv("TF_VAR_" + name)
		if !ok {
			continue
		}
		value, err := fromText(name, text, v)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	for _, name := range variableFiles(files) {
		values, err := fromFile(name, files.content[name])
		if err != nil {
			return nil, err
		}
		maps.Copy(out, values)
	}
	for name, v := range given {
		value, err := fromJSON(v)
		if err != nil {
			return nil, fmt.Errorf("ConfigVariables: %s: %w", name, err)
		}
		out[name] = value
	}
	maps.DeleteFunc(out, func(name string, _ cty.Value) bool { return declared[name] == nil })
	return out, nil
}

// fromText parses the value of an environment variable: a string for primitive and
// unspecified types, an expression for others.
func fromText(name, text string, v *configs.Variable) (cty.Value, error) {
	if v.Type.IsPrimitiveType() || !v.Typed {
		return cty.StringVal(text), nil
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), "TF_VAR_"+name, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	value, diags := expr.Value(nil)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return value, nil
}

func fromJSON(v json.Marshaler) (cty.Value, error) {
	b, err := v.MarshalJSON()
	if err != nil {
		return cty.NilVal, err
	}
	ty, err := ctyjson.ImpliedType(b)
	if err != nil {
		return cty.NilVal, err
	}
	return ctyjson.Unmarshal(b, ty)
}

// variableFiles returns the names of the variable files that the command loads
// automatically, in the same order.
func variableFiles(files *fileSet) []string {
	out := slices.DeleteFunc(slices.Sorted(maps.Keys(files.content)), func(name string) bool {
		return !strings.HasSuffix(name, ".auto.tfvars") && !strings.HasSuffix(name, ".auto.tfvars.json")
	})
	for _, name := range []string{"terraform.tfvars.json", "terraform.tfvars"} {
		if _, ok := files.content[name]; ok {
			out = slices.Insert(out, 0, name)
		}
	}
	return out
}

func fromFile(name string, content []byte) (map[string]cty.Value, error) {
	var file *hcl.File
	var diags hcl.Diagnostics
	if strings.HasSuffix(name, ".json") {
		file, diags = hcljson.Parse(content, name)
	} else {
		file, diags = hclsyntax.ParseConfig(content, name, hcl.InitialPos)
	}
	if diags.HasErrors() {
		return nil, diags
	}
	attributes, diags := file.Body.JustAttributes()
	if diags.HasErrors() {
		return nil, diags
	}
	out := make(map[string]cty.Value, len(attributes))
	for name, attribute := range attributes {
		if out[name], diags = attribute.Expr.Value(nil); diags.HasErrors() {
			return nil, diags
		}
	}
	return out, nil
}
