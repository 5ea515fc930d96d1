package local_test

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
)

// TestSync checks that an operation that changes a name opens its directory after the change, which only a sync does.
func TestSync(t *testing.T) {
	t.Parallel()
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, dir := t.Context(), t.TempDir()
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		do   func() error
	}{
		{"mkdir", func() error { _, err := h.Mkdir(ctx, dir+"/dir", host.Attributes{}); return err }},
		{"rmdir", func() error { return h.Rmdir(ctx, dir+"/dir") }},
		{"symlink", func() error { _, err := h.Symlink(ctx, "target", dir+"/link"); return err }},
		{"replace a symlink", func() error { _, err := h.ReplaceSymlink(ctx, "other", dir+"/link", nil); return err }},
		{"link", func() error { return h.Link(ctx, dir+"/file", dir+"/second") }},
		{"rename", func() error { return h.Rename(ctx, dir+"/second", dir+"/third") }},
		{"remove", func() error { return h.Remove(ctx, dir+"/third") }},
	} {
		watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := unix.InotifyAddWatch(watch, dir, unix.IN_OPEN|unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_TO); err != nil {
			t.Fatal(err)
		}
		if err := tt.do(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		events := make([]byte, 64<<10)
		n, err := unix.Read(watch, events)
		if err := unix.Close(watch); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatalf("%s: no events: %v", tt.name, err)
		}
		synced := false
		for at := 0; at < n; at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[at+12:])) {
			switch mask := binary.NativeEndian.Uint32(events[at+4:]); {
			case mask&unix.IN_OPEN == 0:
				synced = false // a name in the directory was changed
			case binary.NativeEndian.Uint32(events[at+12:]) == 0: // the directory itself was opened
				synced = true
			}
		}
		if !synced {
			t.Errorf("%s: the directory was not synced", tt.name)
		}
	}
}
