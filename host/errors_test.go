package host_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want string
		err  error
	}{
		{"write /etc/motd: no room", &host.Error{Op: "write", Path: "/etc/motd", Err: errors.New("no room")}},
		{"write /etc/motd: no room", &host.Error{Op: "write", Host: "local", Path: "/etc/motd", Err: errors.New("no room")}},
		{"write web1:/etc/motd: no room", &host.Error{Op: "write", Host: "web1", Path: "/etc/motd", Err: errors.New("no room")}},
		{`read "/a b": x`, &host.Error{Op: "read", Path: "/a b", Err: errors.New("x")}},
		{`read web1:"/a\nb": x`, &host.Error{Op: "read", Host: "web1", Path: "/a\nb", Err: errors.New("x")}},
		{`read "/\xff": x`, &host.Error{Op: "read", Path: "/\xff", Err: errors.New("x")}},
		{"read /é: x", &host.Error{Op: "read", Path: "/é", Err: errors.New("x")}},
		{"look up user on web1: x", &host.Error{Op: "look up user", Host: "web1", Err: errors.New("x")}},
		{"look up user on local: x", &host.Error{Op: "look up user", Err: errors.New("x")}},
		{"is a directory, not a regular file", &host.TypeError{Want: host.TypeRegular, Got: host.TypeDirectory}},
		{"is a symbolic link", &host.TypeError{Got: host.TypeSymlink}},
		{"content: x", &host.SourceError{Source: "content", Err: errors.New("x")}},
		{"path a is not absolute: it must start with /", host.CheckPath("a")},
		{"path /a/../b has a .. element: write /b", host.CheckPath("/a/../b")},
		{"path /a/ ends with a slash: write /a", host.CheckPath("/a/")},
		{`mode "8": must be three or four octal digits, such as 0644 or 4755`, &host.ModeError{Text: "8"}},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestErrorIs(t *testing.T) {
	t.Parallel()
	all := []error{
		host.ErrNotRegular, host.ErrNotDirectory, host.ErrNotSymlink, host.ErrIsDirectory, host.ErrIsSymlink,
		host.ErrNotEmpty, host.ErrInvalidPath, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, context.Canceled,
	}
	for _, tt := range []struct {
		name string
		err  error
		want []error
	}{
		{
			"want file, got directory", &host.TypeError{Want: host.TypeRegular, Got: host.TypeDirectory},
			[]error{host.ErrNotRegular, host.ErrIsDirectory},
		},
		{
			"want directory, got link", &host.TypeError{Want: host.TypeDirectory, Got: host.TypeSymlink},
			[]error{host.ErrNotDirectory, host.ErrIsSymlink},
		},
		{"want link, got pipe", &host.TypeError{Want: host.TypeSymlink, Got: host.TypeFIFO}, []error{host.ErrNotSymlink}},
		{"parent is a file", host.ErrParentNotDirectory, []error{host.ErrNotDirectory, fs.ErrNotExist}},
		{"path", host.CheckPath("a"), []error{host.ErrInvalidPath}},
		{"source does not exist", &host.SourceError{Err: fs.ErrNotExist}, nil},
		{"source is not readable", &host.SourceError{Err: fmt.Errorf("x: %w", fs.ErrPermission)}, nil},
		{"source is canceled", &host.SourceError{Err: context.Canceled}, []error{context.Canceled}},
	} {
		for _, target := range all {
			wrapped := fmt.Errorf("wrapped: %w", &host.Error{Op: "test", Path: "/a", Err: tt.err})
			if got, want := errors.Is(wrapped, target), slices.Contains(tt.want, target); got != want {
				t.Errorf("%s: is %q: %t, want %t", tt.name, target, got, want)
			}
		}
	}
	if _, ok := errors.AsType[*host.PathError](&host.SourceError{Err: host.CheckPath("a")}); !ok {
		t.Error("errors.AsType does not find the PathError in a SourceError")
	}
}

func TestMayHaveRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nil, true},
		{host.ErrLost, true},
		{&host.NotStartedError{Err: host.ErrLost}, false},
		{fmt.Errorf("read: %w", &host.Error{Op: "run", Err: &host.NotStartedError{Err: context.Canceled}}), false},
	} {
		if got := host.MayHaveRun(tt.err); got != tt.want {
			t.Errorf("%v: got %t, want %t", tt.err, got, tt.want)
		}
	}
}

func TestFileTypeNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for typ := host.TypeUnknown; typ <= host.TypeCharDevice+1; typ++ {
		if name := typ.String(); name == "" || seen[name] {
			t.Errorf("type %d has the name %q, want a name that no other type has", typ, name)
		}
		seen[typ.String()] = true
	}
}
