package statefile

import (
	"encoding/json"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// pathStep is one step of a path in a file: to an attribute, whose name is the
// value, or to an element, whose key is, with its type.
type pathStep struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

var keyCodec = wire.NewCodec(cty.DynamicPseudoType)

func readPaths(f fields, name string) ([]cty.Path, error) {
	var raw []json.RawMessage
	if err := f.takeAll(into{name, &raw}); err != nil {
		return nil, err
	}
	var paths []cty.Path
	for i, raw := range raw {
		at := index(f.at(name), i)
		var steps []pathStep
		if json.Unmarshal(raw, &steps) != nil {
			return nil, fail(at, "a list of steps is required, each with a type and a value")
		}
		path := make(cty.Path, len(steps))
		for j, step := range steps {
			var err error
			if path[j], err = readStep(index(at, j), step); err != nil {
				return nil, err
			}
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func readStep(at string, step pathStep) (cty.PathStep, error) {
	switch step.Type {
	case "get_attr":
		var name string
		if json.Unmarshal(step.Value, &name) != nil {
			return nil, fail(at+".value", "the name of an attribute is required")
		}
		return cty.GetAttrStep{Name: name}, nil
	case "index":
		key, err := keyCodec.DecodeJSON(step.Value)
		if err != nil || key.IsNull() {
			return nil, fail(at+".value", "a key is required, with its value and its type")
		}
		return cty.IndexStep{Key: key}, nil
	default:
		return nil, fail(at+".type", `"get_attr" or "index" is required`)
	}
}

func writePaths(paths []cty.Path) (json.RawMessage, error) {
	all := make([][]pathStep, len(paths))
	for i, path := range paths {
		all[i] = make([]pathStep, len(path))
		for j, step := range path {
			var err error
			switch step := step.(type) {
			case cty.GetAttrStep:
				all[i][j].Type = "get_attr"
				all[i][j].Value, err = json.Marshal(step.Name)
			case cty.IndexStep:
				all[i][j].Type = "index"
				all[i][j].Value, err = keyCodec.AppendJSON(nil, step.Key)
			}
			if err != nil {
				return nil, fail("", "the sensitive path %s cannot be written: %s", diag.FormatPath(path[:j]), problem(err))
			}
		}
	}
	return json.Marshal(all)
}
