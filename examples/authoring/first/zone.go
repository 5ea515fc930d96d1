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

// Block is the provider block.
type Block struct {
	Directory string
}

// Zone is the client of your service.
type Zone struct {
	directory string
}

func configure(_ context.Context, b *Block) (*Zone, error) {
	return &Zone{directory: b.Directory}, nil
}

func (z *Zone) put(r *RecordOutput) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(z.directory, 0o700); err != nil {
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

func (z *Zone) path(name string) string { return filepath.Join(z.directory, name+".json") }
