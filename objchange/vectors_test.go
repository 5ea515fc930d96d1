package objchange_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// vectorFiles has the names of the files with recorded results of Terraform's functions.
var vectorFiles = []string{"proposed_new", "planned_data", "plan_valid", "object_compatible", "extra"}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, name := range vectorFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runVectors(t, filepath.Join("testdata", name+".jsonl.gz"), name)
		})
	}
}

// vector is one line of a file of vectorFiles.
type vector struct {
	ID      string
	Fn      string
	Group   string
	Schema  blockJSON
	Prior   *[]byte
	Config  *[]byte
	Planned *[]byte
	Actual  *[]byte
	Want    json.RawMessage
	Valid   bool
}

func runVectors(t *testing.T, path, name string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	count, failed := 0, 0
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var v vector
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", count+1, err)
		}
		if v.Fn == "" {
			v.Fn = name
		}
		count++
		if diff := v.check(t); diff != "" {
			failed++
			if failed <= 20 {
				t.Errorf("%s %s (-want +got):\n%s", v.ID, v.Group, diff)
			}
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Errorf("%s has no vectors", path)
	}
	if failed > 0 {
		t.Errorf("%d of %d vectors failed", failed, count)
	}
}

// check returns the difference between the recorded and the actual result, or "".
func (v *vector) check(t *testing.T) string {
	t.Helper()
	schema := v.Schema.block()
	ty := schema.ImpliedType()
	value := func(encoded *[]byte) cty.Value {
		t.Helper()
		if encoded == nil {
			t.Fatalf("vector %s: a value is missing", v.ID)
		}
		return v.decode(t, *encoded, ty)
	}
	var got cty.Value
	switch v.Fn {
	case "proposed_new":
		got = objchange.ProposedNew(schema, value(v.Prior), value(v.Config))
	case "planned_data":
		got = objchange.PlannedDataResourceObject(schema, value(v.Config))
	case "plan_valid":
		return v.checkPaths(t, objchange.AssertPlanValid(schema, value(v.Prior), value(v.Config), value(v.Planned)))
	case "object_compatible":
		return v.checkPaths(t, objchange.AssertObjectCompatible(schema, value(v.Planned), value(v.Actual)))
	default:
		t.Fatalf("%s: unknown function %q", v.ID, v.Fn)
	}
	var encoded []byte
	if err := json.Unmarshal(v.Want, &encoded); err != nil {
		t.Fatalf("%s: %v", v.ID, err)
	}
	if want := v.decode(t, encoded, ty); !got.RawEquals(want) {
		return cmp.Diff(strings.Split(want.GoString(), ", "), strings.Split(got.GoString(), ", "))
	}
	return ""
}

func (v *vector) decode(t *testing.T, encoded []byte, ty cty.Type) cty.Value {
	t.Helper()
	value, err := msgpack.Unmarshal(encoded, ty)
	if err != nil {
		t.Fatalf("%s: %v", v.ID, err)
	}
	return value
}

func (v *vector) checkPaths(t *testing.T, errs []error) string {
	t.Helper()
	var want []string
	if err := json.Unmarshal(v.Want, &want); err != nil {
		t.Fatalf("%s: %v", v.ID, err)
	}
	got := errorPaths(t, errs)
	if v.Valid != (len(errs) == 0) {
		return "valid: " + strconv.FormatBool(v.Valid) + ", errors: " + strings.Join(got, " ")
	}
	if v.Valid {
		return ""
	}
	return cmp.Diff(want, got)
}

// errorPaths returns the sorted paths of errors, each once, in the form of the vectors.
func errorPaths(t *testing.T, errs []error) []string {
	t.Helper()
	var paths []string
	for _, err := range errs {
		var pathErr cty.PathError
		if !errors.As(err, &pathErr) {
			t.Errorf("the error is %v of type %[1]T, want a cty.PathError", err)
			continue
		}
		paths = append(paths, formatPath(pathErr.Path))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func formatPath(path cty.Path) string {
	var b strings.Builder
	for _, step := range path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			b.WriteString("." + s.Name)
		case cty.IndexStep:
			switch {
			case s.Key.IsNull() || !s.Key.IsKnown():
				b.WriteString("[set]")
			case s.Key.Type() == cty.Number:
				b.WriteString("[" + s.Key.AsBigFloat().Text('f', -1) + "]")
			case s.Key.Type() == cty.String:
				b.WriteString("[" + strconv.Quote(s.Key.AsString()) + "]")
			default:
				b.WriteString("[set]")
			}
		}
	}
	return b.String()
}

// Schemas have the JSON form of `terraform providers schema -json`.
type (
	blockJSON struct {
		Attributes map[string]attributeJSON   `json:"attributes"`
		BlockTypes map[string]nestedBlockJSON `json:"block_types"`
	}
	attributeJSON struct {
		Type       cty.Type    `json:"type"`
		NestedType *objectJSON `json:"nested_type"`
		Required   bool        `json:"required"`
		Optional   bool        `json:"optional"`
		Computed   bool        `json:"computed"`
		Sensitive  bool        `json:"sensitive"`
		WriteOnly  bool        `json:"write_only"`
	}
	objectJSON struct {
		Attributes  map[string]attributeJSON `json:"attributes"`
		NestingMode string                   `json:"nesting_mode"`
	}
	nestedBlockJSON struct {
		NestingMode string    `json:"nesting_mode"`
		Block       blockJSON `json:"block"`
		MinItems    int       `json:"min_items"`
		MaxItems    int       `json:"max_items"`
	}
)

var nestingModes = map[string]configschema.NestingMode{
	"single": configschema.NestingSingle,
	"group":  configschema.NestingGroup,
	"list":   configschema.NestingList,
	"set":    configschema.NestingSet,
	"map":    configschema.NestingMap,
}

func (b blockJSON) block() *configschema.Block {
	block := &configschema.Block{
		Attributes: attributes(b.Attributes),
		BlockTypes: make(map[string]*configschema.NestedBlock, len(b.BlockTypes)),
	}
	for name, nested := range b.BlockTypes {
		block.BlockTypes[name] = &configschema.NestedBlock{
			Block:    *nested.Block.block(),
			Nesting:  nestingModes[nested.NestingMode],
			MinItems: nested.MinItems,
			MaxItems: nested.MaxItems,
		}
	}
	return block
}

func attributes(in map[string]attributeJSON) map[string]*configschema.Attribute {
	out := make(map[string]*configschema.Attribute, len(in))
	for name, a := range in {
		attr := &configschema.Attribute{
			Type: a.Type, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
		}
		if a.NestedType != nil {
			attr.NestedType = &configschema.Object{
				Attributes: attributes(a.NestedType.Attributes),
				Nesting:    nestingModes[a.NestedType.NestingMode],
			}
		}
		out[name] = attr
	}
	return out
}
