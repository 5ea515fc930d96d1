package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Record is the configuration of a record.
type Record struct {
	Name  string
	Value string
	TTL   *int64
}

// RecordOutput is the state of an existing record.
type RecordOutput struct {
	Name  string
	Value string
	TTL   *int64
	Line  string
}

func (*Record) ReplaceFields() []string { return []string{"name"} }

func (r *Record) Create(_ context.Context, z *Zone) (*RecordOutput, error) {
	out := &RecordOutput{Name: r.Name, Value: r.Value, TTL: r.TTL, Line: fmt.Sprintf("%s IN A %s", r.Name, r.Value)}
	return out, z.put(out)
}

func (*Record) Read(_ context.Context, z *Zone, prior *RecordOutput) (*RecordOutput, error) {
	return z.get(prior.Name)
}

func (r *Record) Update(ctx context.Context, z *Zone, _ runtime.Prior[Record, *RecordOutput]) (*RecordOutput, error) {
	return r.Create(ctx, z)
}

func (*Record) Delete(_ context.Context, z *Zone, prior *RecordOutput) error {
	if err := os.Remove(z.path(prior.Name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
