package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// distant is a host with a delay.
type distant struct {
	host.Host
	trip         time.Duration
	refuses      bool // lists
	looks, lists atomic.Int32
}

func (d *distant) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	d.looks.Add(1)
	time.Sleep(d.trip)
	return d.Host.Lstat(ctx, path)
}

func (d *distant) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	d.lists.Add(1)
	time.Sleep(2 * d.trip)
	if d.refuses {
		return nil, &host.Error{Op: "list", Host: d.Name(), Path: path, Err: fs.ErrPermission}
	}
	return d.Host.ReadDir(ctx, path)
}

// TestCachedLstat checks that many calls for one directory become few, and that what
// exists is always found.
func TestCachedLstat(t *testing.T) {
	t.Parallel()
	const n, there = 200, 77
	for _, tt := range []struct {
		name         string
		trip         time.Duration
		refuses      bool
		looks, lists int32
	}{
		{name: "far", trip: 20 * time.Millisecond, looks: 30, lists: 1},
		{name: "far, with a directory that cannot be read", trip: 20 * time.Millisecond, refuses: true, looks: n, lists: 1},
		{name: "near", looks: n},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &distant{Host: memory.New(memory.Config{}), trip: tt.trip, refuses: tt.refuses}
				scope := resourcetest.Scope(t, h)
				at := func(i int) string { return fmt.Sprintf("/file-%d", i) }
				if _, err := h.WriteFile(t.Context(), at(there), strings.NewReader("x"), host.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				var next atomic.Int32
				var all sync.WaitGroup
				for range 10 {
					all.Go(func() {
						for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
							info, err := scope.CachedLstat(t.Context(), address.Path(at(i)))
							failed, _ := errors.AsType[*host.Error](err)
							switch {
							case i == there && (err != nil || info.Size != 1):
								t.Errorf("%s: %+v, error %v", at(i), info, err)
							case i != there && (!errors.Is(err, fs.ErrNotExist) || failed == nil || failed.Path != at(i)):
								t.Errorf("%s: %+v, error %v", at(i), info, err)
							}
						}
					})
				}
				all.Wait()
				if looks := h.looks.Load(); looks > tt.looks || tt.looks == n && looks != n {
					t.Errorf("%d looks, want %d", looks, tt.looks)
				}
				if lists := h.lists.Load(); lists != tt.lists {
					t.Errorf("%d lists, want %d", lists, tt.lists)
				}
				if tt.lists == 0 || tt.refuses {
					return
				}
				// A listing is outdated soon.
				if _, err := h.WriteFile(t.Context(), "/new", strings.NewReader("x"), host.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2100 * time.Millisecond)
				if _, err := scope.CachedLstat(t.Context(), "/new"); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
