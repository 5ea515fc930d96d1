package hostpath_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
)

// TestRemove checks that a missing file, with or without its directory, is not an error,
// that the temporary file of a killed writer is removed, and that a file of another type is an error.
func TestRemove(t *testing.T) {
	t.Parallel()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := hostpath.Remove(t.Context(), h, address.Path(file), host.TypeSymlink); err == nil || !strings.Contains(err.Error(), "neither followed nor replaced") {
		t.Errorf("removal of another type: error %v, want an error with \"neither followed nor replaced\"", err)
	}
	for range 2 {
		if err := hostpath.Remove(t.Context(), h, address.Path(file), host.TypeRegular); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(host.TempPath(file, ""), nil, 0o600); err != nil { // the temporary file of a killed writer
			t.Fatal(err)
		}
	}
	if err := hostpath.Remove(t.Context(), h, address.Path(file), host.TypeRegular); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("the directory has %v (%v), want no entries", left, err)
	}
	if err := hostpath.Remove(t.Context(), h, address.Path(filepath.Join(dir, "none", "file")), host.TypeRegular); err != nil {
		t.Error(err)
	}
}

// TestExplainOtherPath checks that an error about another path, such as an entry of a directory, does
// not mean that the managed object was replaced.
func TestExplainOtherPath(t *testing.T) {
	t.Parallel()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	wrong := &host.TypeError{Want: host.TypeRegular, Got: host.TypeSymlink}
	for _, tt := range []struct {
		err      error
		replaced bool
	}{
		{wrong, true},
		{&host.Error{Op: "list", Path: "/d", Err: wrong}, true},
		{&host.Error{Op: "remove", Path: "/d/x", Err: wrong}, false},
		{fmt.Errorf("after 3 files: %w", &host.Error{Op: "remove", Path: "/d/x", Err: wrong}), false},
	} {
		if _, is := errors.AsType[*hostpath.WrongTypeError](hostpath.Explain(h, "/d", host.TypeDirectory, tt.err)); is != tt.replaced {
			t.Errorf("%v: the object counts as replaced: %t, want %t", tt.err, is, tt.replaced)
		}
	}
}
