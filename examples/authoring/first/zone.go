package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Block is what the provider block says.
type Block struct {
	Folder string
}

// Zone is what the resources work with: the client of your service.
type Zone struct {
	folder string
}

func configure(_ context.Context, b *Block) (*Zone, error) {
	return &Zone{folder: b.Folder}, nil
}

func (z *Zone) put(r *RecordOutput) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(z.folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(z.path(r.Name), text, 0o600)
}

func (z *Zone) get(name string) (*RecordOutput, error) {
	text, err := os.ReadFile(z.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, runtime.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	var r RecordOutput
	return &r, json.Unmarshal(text, &r)
}

func (z *Zone) path(name string) string { return filepath.Join(z.folder, name+".json") }
