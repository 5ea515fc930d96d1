package statefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// fields is a JSON object that is taken apart field by field. What is left in
// the end is what this package does not know.
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

// take gives a field and removes it. One that is null counts as missing.
func (f fields) take(name string) json.RawMessage {
	raw := f.raw[name]
	delete(f.raw, name)
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// into says where a field goes.
type into struct {
	name   string
	target any
}

// takeAll takes the fields one after the other, and stops at the first that is
// not what it should be.
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

// rest is what was not taken, nil for nothing.
func (f fields) rest() map[string]json.RawMessage {
	if len(f.raw) == 0 {
		return nil
	}
	for name, raw := range f.raw {
		f.raw[name] = compact(raw)
	}
	return f.raw
}

// compact is raw without the spaces that a file has for people, so that the same
// object is always the same bytes.
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

// syntax is the error of a text that is not JSON, with its line.
func syntax(src []byte, offset int64) error {
	offset = min(offset, int64(len(src)))
	before := string(src[:offset])
	line := strings.Count(before, "\n") + 1
	column := len(before) - strings.LastIndexByte(before, '\n') - 1
	return fail("", "the file is no JSON from line %d, column %d on; it may have been cut off or damaged", line, max(column, 1))
}
