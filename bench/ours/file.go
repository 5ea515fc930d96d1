package ours

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

const defaultMode = "0644"

// File is what is configured.
type File struct {
	Path    string
	Content string
	Mode    *string
	Tags    map[string]string `tf:",optional"`
}

// FileOutput is what there is.
type FileOutput struct {
	Path    string
	Content string
	Mode    string `tf:",computed"`
	Tags    map[string]string
	Size    int64
	Exists  bool
}

var (
	_ runtime.TypedResource[File, *FileOutput, runtime.NoConfig]        = (*File)(nil)
	_ runtime.ResourcePlanModifier[File, *FileOutput, runtime.NoConfig] = (*File)(nil)
)

// SchemaVersion is part of [runtime.TypedResource].
func (f *File) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (f *File) ReplaceFields() []string { return []string{"path"} }

// Create is part of [runtime.TypedResource].
func (f *File) Create(context.Context, runtime.NoConfig) (*FileOutput, error) {
	return f.output(), nil
}

// Read is part of [runtime.TypedResource].
func (f *File) Read(_ context.Context, _ runtime.NoConfig, prior *FileOutput) (*FileOutput, error) {
	now := *prior
	now.Size, now.Exists = int64(len(now.Content)), true
	return &now, nil
}

// Update is part of [runtime.TypedResource].
func (f *File) Update(context.Context, runtime.NoConfig, runtime.Prior[File, *FileOutput]) (*FileOutput, error) {
	return f.output(), nil
}

// Delete is part of [runtime.TypedResource].
func (f *File) Delete(context.Context, runtime.NoConfig, *FileOutput) error { return nil }

// ModifyResourcePlan says that only new content changes the size.
func (f *File) ModifyResourcePlan(req runtime.ResourcePlanRequest[File, *FileOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if runtime.Changed(req.PriorInputs.Content, req.CurrentInputs.Content) {
		resp.MarkOutputUnknown("size")
	}
	return nil
}

func (f *File) output() *FileOutput {
	mode := defaultMode
	if f.Mode != nil {
		mode = *f.Mode
	}
	return &FileOutput{Path: f.Path, Content: f.Content, Mode: mode, Tags: f.Tags, Size: int64(len(f.Content)), Exists: true}
}
