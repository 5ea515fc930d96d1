package ours

import (
	"context"
	"errors"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/runtime"
)

const defaultMode = "0644"

// File is a configured file.
type File struct {
	Path    string
	Content string
	Mode    *string
	Tags    map[string]string `tf:",optional"`

	files *disk.Files // nil: only in memory
}

// FileOutput is an existing file.
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

// ReplaceFields implements [runtime.ReplaceDeclarer].
func (f *File) ReplaceFields() []string { return []string{"path"} }

// Create implements [runtime.TypedResource].
func (f *File) Create(context.Context, runtime.NoConfig) (*FileOutput, error) {
	return f.write()
}

// Read implements [runtime.TypedResource].
func (f *File) Read(_ context.Context, _ runtime.NoConfig, prior *FileOutput) (*FileOutput, error) {
	now := *prior
	if f.files != nil {
		content, mode, err := f.files.Read(now.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, runtime.ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		now.Content, now.Mode = content, mode
	}
	now.Size, now.Exists = int64(len(now.Content)), true
	return &now, nil
}

// Update implements [runtime.TypedResource].
func (f *File) Update(context.Context, runtime.NoConfig, runtime.Prior[File, *FileOutput]) (*FileOutput, error) {
	return f.write()
}

// Delete implements [runtime.TypedResource].
func (f *File) Delete(_ context.Context, _ runtime.NoConfig, prior *FileOutput) error {
	if f.files == nil {
		return nil
	}
	return f.files.Remove(prior.Path)
}

// ModifyResourcePlan plans a new size only for new content.
func (f *File) ModifyResourcePlan(req runtime.ResourcePlanRequest[File, *FileOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if runtime.Changed(req.PriorInputs.Content, req.CurrentInputs.Content) {
		resp.MarkOutputUnknown("size")
	}
	return nil
}

// write writes the configured file.
func (f *File) write() (*FileOutput, error) {
	mode := defaultMode
	if f.Mode != nil {
		mode = *f.Mode
	}
	if f.files != nil {
		if err := f.files.Write(f.Path, f.Content, mode); err != nil {
			return nil, err
		}
	}
	return &FileOutput{Path: f.Path, Content: f.Content, Mode: mode, Tags: f.Tags, Size: int64(len(f.Content)), Exists: true}, nil
}
