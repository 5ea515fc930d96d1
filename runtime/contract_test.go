package runtime_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

type File struct {
	Path    string
	Content string
}

type FileOutput struct {
	Path   string
	Size   int64
	Exists bool
}

func (f *File) SchemaVersion() int      { return 1 }
func (f *File) ReplaceFields() []string { return []string{"path"} }

func (f *File) Create(_ context.Context, _ runtime.NoConfig) (*FileOutput, error) {
	return writeFile(f.Path, f.Content)
}

func (f *File) Read(_ context.Context, _ runtime.NoConfig, prior *FileOutput) (*FileOutput, error) {
	info, err := os.Stat(prior.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, runtime.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return &FileOutput{Path: prior.Path, Size: info.Size(), Exists: true}, nil
}

func (f *File) Update(_ context.Context, _ runtime.NoConfig, _ runtime.Prior[File, *FileOutput]) (*FileOutput, error) {
	return writeFile(f.Path, f.Content)
}

func (f *File) Delete(_ context.Context, _ runtime.NoConfig, prior *FileOutput) error {
	return os.Remove(prior.Path)
}

func writeFile(path, content string) (*FileOutput, error) {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return nil, err
	}
	return &FileOutput{Path: path, Size: int64(len(content)), Exists: true}, nil
}

func TestContractProgram(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{
		Name: "test",
		Resources: map[string]runtime.ResourceRegistration{
			"file": runtime.MakeResource[File, *FileOutput, runtime.NoConfig](),
		},
	})
	d := newDriver(t, p, "test_file")
	if d.schema.Version != 1 {
		t.Errorf("schema version %d, want 1", d.schema.Version)
	}
	path := filepath.Join(t.TempDir(), "hello")
	config := d.config(attrs{"path": str(path), "content": str("one")})

	plan := d.apply(config)
	if plan.PlannedState.GetAttr("size").IsKnown() {
		t.Error("an output is known before the object is created")
	}
	if got := d.attr("size"); !got.RawEquals(num(3)) {
		t.Errorf("size is %#v, want 3", got)
	}
	d.noChange(config)

	// A change of an input that is not read back still updates in place.
	config = d.config(attrs{"path": str(path), "content": str("three")})
	if plan := d.apply(config); len(plan.RequiresReplace) != 0 {
		t.Errorf("RequiresReplace is %v, want none", plan.RequiresReplace)
	}
	d.noChange(config)

	// The size is an output: a change outside of Terraform is drift.
	if err := os.WriteFile(path, []byte("longer than before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diags := d.refresh(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if plan := d.plan(config); plan.PlannedState.RawEquals(d.state) {
		t.Error("drift of an output plans no change")
	}
	d.apply(config)
	if got, _ := os.ReadFile(path); string(got) != "three" {
		t.Errorf("the repaired file has %q, want three", got)
	}
	d.noChange(config)

	// A change of a field that ReplaceFields returns creates another file.
	other := filepath.Join(t.TempDir(), "elsewhere")
	config = d.config(attrs{"path": str(other), "content": str("three")})
	if plan := d.apply(config); len(plan.RequiresReplace) != 1 || !plan.RequiresReplace[0].Equals(cty.GetAttrPath("path")) {
		t.Errorf("RequiresReplace is %v, want path", plan.RequiresReplace)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of the replaced file: error %v, want %v", err, fs.ErrNotExist)
	}

	// An object that does not exist any more is created again.
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if diags := d.refresh(); diags.HasErrors() || !d.state.IsNull() {
		t.Fatalf("read of a removed file: state %#v (%v), want null", d.state, diags)
	}
	d.apply(config)
	d.destroy()
}

// Compile-time checks that the types implement the interfaces.
var (
	_ runtime.TypedResource[File, *FileOutput, runtime.NoConfig]         = (*File)(nil)
	_ runtime.InputValidator[runtime.NoConfig]                           = (*Alias)(nil)
	_ runtime.InputEquivalencer[Alias]                                   = (*Alias)(nil)
	_ runtime.ResourcePlanModifier[Alias, *FileOutput, runtime.NoConfig] = (*Alias)(nil)
)

type Alias struct{ FunctionName string }

func (*Alias) ValidateInputs(context.Context, runtime.NoConfig) error { return nil }

func (*Alias) EquivalentInput(field string, prior, current Alias) bool {
	return field == "function-name" && prior.FunctionName == current.FunctionName
}

func (*Alias) ModifyResourcePlan(req runtime.ResourcePlanRequest[Alias, *FileOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if req.HasPriorState && runtime.Changed(req.PriorInputs.FunctionName, req.CurrentInputs.FunctionName) {
		resp.MarkOutputUnknown("size")
	}
	return nil
}
