package hosttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// anyUser is a UID that is not in any user database.
const anyUser = 54321

// pathOperation is an operation on a path. Its name starts with the name of the method or function.
type pathOperation struct {
	name string
	// do does the operation in a directory with a file "file" and a directory "dir", and returns the
	// information about objects in that directory that the method or function returned.
	do func(ctx context.Context, h host.Host, dir string) (learned any, err error)
}

// pathOperations returns all operations on paths. If they are done in this order as root, all succeed.
func pathOperations() []pathOperation {
	return []pathOperation{
		{"Lstat", func(ctx context.Context, h host.Host, dir string) (any, error) { return h.Lstat(ctx, dir+"/file") }},
		{"Open", func(ctx context.Context, h host.Host, dir string) (any, error) {
			info, content, err := read(ctx, h, dir+"/file")
			return []any{info, string(content)}, err
		}},
		{"Digest", func(ctx context.Context, h host.Host, dir string) (any, error) {
			info, sum, err := host.Digest(ctx, h, dir+"/file")
			return []any{info, sum}, err
		}},
		{"ReadDir", func(ctx context.Context, h host.Host, dir string) (any, error) { return h.ReadDir(ctx, dir+"/dir") }},
		{"ReadTree", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return host.ReadTree(ctx, h, dir+"/dir", host.TreeQuery{All: true})
		}},
		{"WriteFile", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.WriteFile(ctx, dir+"/new", strings.NewReader("new"), host.WriteOptions{NoSync: true})
		}},
		{"WriteFile over a file", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.WriteFile(ctx, dir+"/file", strings.NewReader("new"), host.WriteOptions{NoSync: true})
		}},
		{"EditFile of a part", func(ctx context.Context, h host.Host, dir string) (any, error) {
			editor, ok := h.(host.Editor)
			if !ok {
				return h.Lstat(ctx, dir+"/file")
			}
			info, now, err := editor.EditFile(ctx, dir+"/file", host.Edit{Old: []byte("new"), New: []byte("part"), Mark: "new"}, host.Attributes{})
			if errors.Is(err, errors.ErrUnsupported) {
				return h.Lstat(ctx, dir+"/file")
			}
			return []any{info, string(now)}, err
		}},
		{"EditFile", func(ctx context.Context, h host.Host, dir string) (any, error) {
			was, content, err := read(ctx, h, dir+"/file")
			editor, ok := h.(host.Editor)
			if err != nil || !ok {
				return was, err
			}
			info, _, err := editor.EditFile(ctx, dir+"/file", host.Edit{Old: content, New: []byte("edited\n"), Was: &was}, host.Attributes{})
			if errors.Is(err, errors.ErrUnsupported) {
				err = nil
			}
			return []any{was, info}, err
		}},
		{"SetAttributes", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.SetAttributes(ctx, dir+"/file", host.TypeUnknown, host.Attributes{UID: new(uint32(anyUser))})
		}},
		{"SetAttributes of mode", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.SetAttributes(ctx, dir+"/file", host.TypeRegular, host.Attributes{Mode: new(host.Mode(0o640))})
		}},
		{"Symlink", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.Symlink(ctx, "target", dir+"/link")
		}},
		{"ReplaceSymlink", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.ReplaceSymlink(ctx, "other", dir+"/link", nil)
		}},
		{"Link", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, h.Link(ctx, dir+"/file", dir+"/second")
		}},
		{"Rename", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, h.Rename(ctx, dir+"/second", dir+"/third")
		}},
		{"Remove", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, h.Remove(ctx, dir+"/third")
		}},
		{"RemoveOnly", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, host.RemoveOnly(ctx, h, dir+"/new", host.TypeRegular)
		}},
		{"RemoveTemp", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, h.RemoveTemp(ctx, dir+"/file")
		}},
		{"MakeParents", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return host.MakeParents(ctx, h, dir+"/made/by/file", host.Attributes{})
		}},
		{"Mkdir", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return h.Mkdir(ctx, dir+"/made/second", host.Attributes{})
		}},
		{"Rmdir", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, h.Rmdir(ctx, dir+"/made/second")
		}},
		{"WriteTree", func(ctx context.Context, h host.Host, dir string) (any, error) {
			return nil, host.WriteTree(ctx, h, dir+"/dir", []host.TreeFile{treeFile("in tree", "x", 0o644)})
		}},
	}
}

// read returns the info and the content of a file.
func read(ctx context.Context, h host.Host, path string) (host.FileInfo, []byte, error) {
	info, r, err := h.Open(ctx, path)
	if err != nil {
		return host.FileInfo{}, nil, err
	}
	var content bytes.Buffer
	_, err = io.Copy(&content, r)
	return info, content.Bytes(), errors.Join(err, r.Close())
}

// withoutPath are the methods of hosts that do not use the object at a path. ResolveParent only checks the
// directories above its path. The directory and the arguments of Run are for a program, which follows links in its
// own way.
var withoutPath = []string{"Close", "DialHost", "Forget", "GroupName", "Load", "LookupGroup", "LookupUser", "Name", "Reset", "ResolveParent", "Run", "RunsAsRoot", "UserName"}

// wantPathOperations fails the test if a method of the host is neither in pathOperations nor in withoutPath.
func wantPathOperations(t *testing.T, h host.Host) {
	t.Helper()
	for method := range reflect.TypeOf(h).Methods() {
		tested := slices.ContainsFunc(pathOperations(), func(o pathOperation) bool { return o.name == method.Name })
		if !tested && !slices.Contains(withoutPath, method.Name) {
			t.Errorf("the method %s is not in pathOperations", method.Name)
		}
	}
}
