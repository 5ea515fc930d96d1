package scenarios_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// stateV4 is the part of a state file that scenarios write or compare.
type stateV4 struct {
	Version   int                 `json:"version"`
	WrittenBy string              `json:"terraform_version"`
	Serial    int                 `json:"serial"`
	Lineage   string              `json:"lineage"`
	Outputs   map[string]outputV4 `json:"outputs"`
	Resources []resourceV4        `json:"resources"`
}

type outputV4 struct {
	Value     json.RawMessage `json:"value"`
	Type      json.RawMessage `json:"type"`
	Sensitive bool            `json:"sensitive,omitempty"`
}

type resourceV4 struct {
	Module    string       `json:"module,omitempty"`
	Mode      string       `json:"mode"`
	Type      string       `json:"type"`
	Name      string       `json:"name"`
	Each      string       `json:"each,omitempty"`
	Provider  string       `json:"provider"`
	Instances []instanceV4 `json:"instances"`
}

type instanceV4 struct {
	IndexKey            any               `json:"index_key,omitempty"`
	Status              string            `json:"status,omitempty"`
	Deposed             string            `json:"deposed,omitempty"`
	SchemaVersion       uint64            `json:"schema_version"`
	Attributes          json.RawMessage   `json:"attributes,omitempty"`
	AttributesFlat      map[string]string `json:"attributes_flat,omitempty"`
	Private             []byte            `json:"private,omitempty"`
	Identity            json.RawMessage   `json:"identity,omitempty"`
	IdentityVersion     uint64            `json:"identity_schema_version,omitempty"`
	Dependencies        []string          `json:"dependencies,omitempty"`
	CreateBeforeDestroy bool              `json:"create_before_destroy,omitempty"`
	Sensitive           json.RawMessage   `json:"sensitive_attributes,omitempty"`
}

// Held returns the lines of an outcome for a state file, none for an empty file. Null
// attributes and the keys of deposed objects are omitted, and UUIDs in attributes are replaced by
// "random".
func Held(file []byte) (holds, outputs []string, err error) {
	if len(bytes.TrimSpace(file)) == 0 {
		return nil, nil, nil
	}
	var state stateV4
	if err := json.Unmarshal(file, &state); err != nil {
		return nil, nil, fmt.Errorf("read state: %w", err)
	}
	for _, r := range state.Resources {
		address := r.Type + "." + r.Name
		if r.Mode == "data" {
			address = "data." + address
		}
		if r.Module != "" {
			address = r.Module + "." + address
		}
		for _, i := range r.Instances {
			line, err := i.line()
			if err != nil {
				return nil, nil, fmt.Errorf("read state of %s: %w", address, err)
			}
			key := ""
			switch k := i.IndexKey.(type) {
			case string:
				key = "[" + strconv.Quote(k) + "]"
			case float64:
				key = fmt.Sprintf("[%d]", int(k))
			}
			holds = append(holds, address+key+line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state.Outputs)) {
		o := state.Outputs[name]
		line := name + " = " + compact(o.Value)
		if o.Sensitive {
			line += " (sensitive)"
		}
		outputs = append(outputs, line)
	}
	return holds, outputs, nil
}

func (i instanceV4) line() (string, error) {
	var about []string
	if i.Deposed != "" {
		about = append(about, "deposed")
	}
	if i.Status != "" {
		about = append(about, i.Status)
	}
	if i.SchemaVersion != 0 {
		about = append(about, fmt.Sprintf("version %d", i.SchemaVersion))
	}
	if i.IdentityVersion != 0 {
		about = append(about, fmt.Sprintf("identity-version %d", i.IdentityVersion))
	}
	if i.CreateBeforeDestroy {
		about = append(about, "create-before-destroy")
	}
	var b strings.Builder
	if len(about) > 0 {
		b.WriteString(" (" + strings.Join(about, ", ") + ")")
	}
	attributes, err := withoutNulls(i.Attributes)
	if err != nil {
		return "", err
	}
	b.WriteString(" " + attributes)
	if len(i.Private) > 0 {
		fmt.Fprintf(&b, " private %q", i.Private)
	}
	if len(i.Identity) > 0 && string(i.Identity) != "null" {
		b.WriteString(" identity " + compact(i.Identity))
	}
	if len(i.Dependencies) > 0 {
		b.WriteString(" needs " + strings.Join(sorted(i.Dependencies), " "))
	}
	sensitive, err := sensitivePaths(i.Sensitive, i.Attributes)
	if len(sensitive) > 0 {
		b.WriteString(" sensitive " + strings.Join(sensitive, " "))
	}
	return b.String(), err
}

// sensitivePaths returns paths in the form a.b[key], sorted, without those in null attributes.
func sensitivePaths(text, attributes json.RawMessage) ([]string, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var paths [][]struct {
		Type  string
		Value any
	}
	if err := json.Unmarshal(text, &paths); err != nil {
		return nil, err
	}
	var values map[string]any
	if err := json.Unmarshal(attributes, &values); err != nil {
		return nil, err
	}
	var out []string
	for _, path := range paths {
		if name, _ := path[0].Value.(string); values[name] == nil {
			continue
		}
		var b strings.Builder
		for _, step := range path {
			if index, ok := step.Value.(map[string]any); ok {
				fmt.Fprintf(&b, "[%v]", index["value"])
			} else {
				fmt.Fprintf(&b, ".%v", step.Value)
			}
		}
		out = append(out, strings.TrimPrefix(b.String(), "."))
	}
	return sorted(out), nil
}

func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return string(text)
	}
	return b.String()
}

// withoutNulls returns an object without its null attributes, and with "random" in place of
// UUIDs. If text is empty, it returns null.
func withoutNulls(text json.RawMessage) (string, error) {
	var v any
	if len(text) == 0 {
		return "null", nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(pruned(v))
	return randomID.ReplaceAllString(strings.TrimSpace(b.String()), "random"), err
}

// randomID matches IDs of terraform_data.
var randomID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, a := range v {
			if a != nil {
				out[name] = pruned(a)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
	}
	return v
}

var priorLine = regexp.MustCompile(`^((?:module\.\w+(?:\[[^\]]+\])?\.)*)(data\.)?(\w+)\.(\w+)(?:\[(.+?)\])?(?: \(([^)]*)\))? (\{.*)$`)

// PriorState returns the state file of a scenario's prior state, whose lines have the
// form of outcomes. "needs ADDRESS…" at the end of a line lists dependencies.
func PriorState(s *Scenario) ([]byte, error) {
	state := stateV4{Version: 4, WrittenBy: "1.12.0", Serial: 1, Lineage: "scenario", Outputs: map[string]outputV4{}, Resources: []resourceV4{}}
	for line := range strings.Lines(s.Prior) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		m := priorLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("read prior state: %q is not an object", line)
		}
		r := resourceV4{Module: strings.TrimSuffix(m[1], "."), Mode: "managed", Type: m[3], Name: m[4], Provider: fmt.Sprintf("provider[%q]", ProviderSource)}
		if m[2] != "" {
			r.Mode = "data"
		}
		var i instanceV4
		if m[5] != "" {
			if err := json.Unmarshal([]byte(m[5]), &i.IndexKey); err != nil {
				return nil, fmt.Errorf("read prior state: %q: %w", line, err)
			}
		}
		if err := i.parse(m[6], m[7]); err != nil {
			return nil, fmt.Errorf("read prior state: %q: %w", line, err)
		}
		same := func(o resourceV4) bool {
			return o.Module == r.Module && o.Mode == r.Mode && o.Type == r.Type && o.Name == r.Name
		}
		if at := slices.IndexFunc(state.Resources, same); at >= 0 {
			state.Resources[at].Instances = append(state.Resources[at].Instances, i)
			continue
		}
		r.Instances = []instanceV4{i}
		state.Resources = append(state.Resources, r)
	}
	return json.MarshalIndent(state, "", "  ")
}

// parse parses the words in the parentheses of an object's line, and the rest of the line.
func (i *instanceV4) parse(about, rest string) error {
	flat := false
	for word := range strings.SplitSeq(about, ", ") {
		name, value, _ := strings.Cut(word, " ")
		number, _ := strconv.ParseUint(value, 10, 64)
		switch name {
		case "":
		case "tainted":
			i.Status = "tainted"
		case "deposed":
			i.Deposed = fmt.Sprintf("%08d", max(number, 1))
		case "version":
			i.SchemaVersion = number
		case "identity-version":
			i.IdentityVersion = number
		case "flat":
			flat = true
		case "create-before-destroy":
			i.CreateBeforeDestroy = true
		default:
			return fmt.Errorf("unknown status %q of an object", word)
		}
	}
	d := json.NewDecoder(strings.NewReader(rest))
	var err error
	if flat {
		err = d.Decode(&i.AttributesFlat)
	} else {
		err = d.Decode(&i.Attributes)
	}
	if err != nil {
		return err
	}
	rest = strings.TrimSpace(rest[d.InputOffset():])
	for rest != "" {
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		switch word {
		case "private", "identity":
			d := json.NewDecoder(strings.NewReader(rest))
			var err error
			if word == "private" {
				var text string
				err = d.Decode(&text)
				i.Private = []byte(text)
			} else {
				err = d.Decode(&i.Identity)
			}
			if err != nil {
				return err
			}
			rest = strings.TrimSpace(rest[d.InputOffset():])
		case "needs":
			i.Dependencies, rest = strings.Fields(rest), ""
		default:
			return fmt.Errorf("unknown property %q of an object", word)
		}
	}
	return nil
}
