package statefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// fields is a JSON object from which known fields are taken one by one. The remaining
// ones are unknown fields.
type fields struct {
	path string
	raw  map[string]json.RawMessage
}

func fieldsOf(path string, raw json.RawMessage) (fields, error) {
	f := fields{path: path}
	if json.Unmarshal(raw, &f.raw) != nil || f.raw == nil {
		return fields{}, fail(path, "an object is required")
	}
	return f, nil
}

func (f fields) at(name string) string {
	if f.path == "" {
		return name
	}
	return f.path + "." + name
}

// take removes and returns a field. It returns nil if the field is missing or null.
func (f fields) take(name string) json.RawMessage {
	raw := f.raw[name]
	delete(f.raw, name)
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// into is the destination of a field.
type into struct {
	name   string
	target any
}

// takeAll takes the fields in order and decodes them. It returns an error for the first
// one that has the wrong type.
func (f fields) takeAll(all ...into) error {
	for _, field := range all {
		raw := f.take(field.name)
		if raw == nil {
			continue
		}
		if err := json.Unmarshal(raw, field.target); err != nil {
			return fail(f.at(field.name), "%s is required", wanted(field.target))
		}
	}
	return nil
}

func wanted(target any) string {
	switch target.(type) {
	case *string:
		return "a string"
	case *bool:
		return "true or false"
	case *uint64:
		return "a whole number that is not negative"
	case *[]string:
		return "a list of strings"
	case *[]byte:
		return "a string in base64"
	case *map[string]string:
		return "an object of strings"
	case *[]json.RawMessage:
		return "a list"
	default:
		return "an object"
	}
}

// rest returns the remaining fields without insignificant white space, or nil.
func (f fields) rest() map[string]json.RawMessage {
	if len(f.raw) == 0 {
		return nil
	}
	for name, raw := range f.raw {
		f.raw[name] = compact(raw)
	}
	return f.raw
}

// compact returns raw without insignificant white space, so that values that differ only in it have equal bytes.
func compact(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// syntax returns the error for invalid JSON, with line and column.
func syntax(src []byte, offset int64) error {
	offset = min(offset, int64(len(src)))
	before := string(src[:offset])
	line := strings.Count(before, "\n") + 1
	column := len(before) - strings.LastIndexByte(before, '\n') - 1
	return fail("", "the file is not valid JSON at line %d, column %d; it may be truncated or damaged", line, max(column, 1))
}

// pathStep is one step of a sensitive path in a file: the name of an attribute, or the key of an
// element with its type.
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
				return nil, fail("", "cannot write the sensitive path %s: %s", diag.FormatPath(path[:j]), problem(err))
			}
		}
	}
	return json.Marshal(all)
}
