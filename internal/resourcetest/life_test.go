package resourcetest_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestLife runs the lifecycle of a file on a host in memory.
func TestLife(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: host.LocalName})
	types := runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"file": file.Resource()}}
	resourcetest.Life{
		Provider:   resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }),
		Config:     "resource \"posix_file\" \"it\" {\n  path    = \"/it\"\n  content = \"text\"\n}\n",
		Address:    "posix_file.it",
		ImportID:   "/it",
		Identifier: "path",
		Drifts: map[string]resourcetest.Drift{
			"removed": {Make: func() error { return h.Remove(context.Background(), "/it") }, Plan: "create"},
			"content": {Plan: "update content sha256", Make: func() error {
				_, err := h.WriteFile(context.Background(), "/it", strings.NewReader("other"), host.WriteOptions{})
				return err
			}},
		},
		Exists: func() (bool, error) {
			_, err := h.Lstat(context.Background(), "/it")
			if errors.Is(err, fs.ErrNotExist) {
				return false, nil
			}
			return err == nil, err
		},
	}.Run(t)
}
