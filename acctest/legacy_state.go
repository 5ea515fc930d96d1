package acctest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// legacyState converts a state to the form of Check functions: attributes are text
// under flat names ("list.0.name"), with the number of elements under ".#" or ".%".
//
// An instance of count is under "type.name.0", an instance of for_each under its
// address. Each module has its own module state.
func legacyState(from *tfjson.State) (*terraform.State, error) {
	root := newModuleState([]string{"root"})
	// terraform.NewState would log a lineage.
	out := &terraform.State{Version: 3, TFVersion: from.TerraformVersion, Modules: []*terraform.ModuleState{root}}
	if from.Values == nil {
		return out, nil
	}
	for name, o := range from.Values.Outputs {
		legacy, err := legacyOutput(o)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
		root.Outputs[name] = legacy
	}
	return out, addModule(out, root, from.Values.RootModule)
}

func newModuleState(path []string) *terraform.ModuleState {
	return &terraform.ModuleState{Path: path, Outputs: map[string]*terraform.OutputState{}, Resources: map[string]*terraform.ResourceState{}}
}

// addModule adds the resources of a module to its module state, and the states of the modules
// that it calls to the whole state.
func addModule(to *terraform.State, state *terraform.ModuleState, from *tfjson.StateModule) error {
	if from == nil {
		return nil
	}
	if err := addResources(state, from); err != nil {
		return err
	}
	for _, child := range from.ChildModules {
		name := strings.TrimPrefix(strings.TrimPrefix(child.Address, from.Address+"."), "module.")
		nested := newModuleState(slices.Concat(state.Path, []string{name}))
		to.Modules = append(to.Modules, nested)
		if err := addModule(to, nested, child); err != nil {
			return err
		}
	}
	return nil
}

func addResources(to *terraform.ModuleState, from *tfjson.StateModule) error {
	for _, r := range from.Resources {
		if r.DeposedKey != "" {
			continue
		}
		key := r.Address
		if i, ok := r.Index.(json.Number); ok {
			key = strings.TrimSuffix(r.Address, "["+i.String()+"]") + "." + i.String()
		}
		attributes := map[string]string{}
		if err := flatten(attributes, "", r.AttributeValues); err != nil {
			return fmt.Errorf("%s: %w", r.Address, err)
		}
		id, ok := attributes["id"]
		if !ok {
			id = "id-attribute-not-set" // as terraform-plugin-testing does; tests may depend on it
		}
		to.Resources[key] = &terraform.ResourceState{
			Provider: r.ProviderName, Type: r.Type, Dependencies: r.DependsOn,
			Primary: &terraform.InstanceState{
				ID: id, Attributes: attributes, Tainted: r.Tainted,
				Meta: map[string]any{"schema_version": int(r.SchemaVersion)},
			},
		}
	}
	return nil
}

// flatten adds a value under flat names. Null is omitted.
func flatten(to map[string]string, name string, v any) error {
	below := func(key string) string {
		if name == "" {
			return key
		}
		return name + "." + key
	}
	switch v := v.(type) {
	case nil:
	case bool:
		to[name] = strconv.FormatBool(v)
	case json.Number:
		to[name] = v.String()
	case string:
		to[name] = v
	case map[string]any:
		for key, element := range v {
			if err := flatten(to, below(key), element); err != nil {
				return err
			}
		}
		to[below("%")] = strconv.Itoa(len(v))
	case []any:
		for i, element := range v {
			if err := flatten(to, below(strconv.Itoa(i)), element); err != nil {
				return err
			}
		}
		to[below("#")] = strconv.Itoa(len(v))
	default:
		return fmt.Errorf("%s has type %T, which flat names do not support", name, v)
	}
	return nil
}

func legacyOutput(o *tfjson.StateOutput) (*terraform.OutputState, error) {
	out := &terraform.OutputState{Sensitive: o.Sensitive, Value: o.Value}
	switch v := o.Value.(type) {
	case string:
		out.Type = "string"
	case bool:
		out.Type, out.Value = "string", strconv.FormatBool(v)
	case json.Number:
		out.Type, out.Value = "string", v.String()
	case []any:
		out.Type = "list"
	case map[string]any:
		out.Type = "map"
	default:
		return nil, fmt.Errorf("the state of Check functions does not support values of type %T", v)
	}
	return out, nil
}
