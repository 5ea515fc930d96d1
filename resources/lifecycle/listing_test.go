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

// distant is a host that delays and counts the calls of Lstat and ReadDir.
type distant struct {
	host.Host
	trip          time.Duration
	unreadable    bool // whether ReadDir fails
	lstats, lists atomic.Int32
}

func (d *distant) Lstat(ctx context.Context, path string) (host.FileInfo, error) {
	d.lstats.Add(1)
	time.Sleep(d.trip)
	return d.Host.Lstat(ctx, path)
}

func (d *distant) ReadDir(ctx context.Context, path string) ([]host.DirEntry, error) {
	d.lists.Add(1)
	time.Sleep(2 * d.trip)
	if d.unreadable {
		return nil, &host.Error{Op: "list", Host: d.Name(), Path: path, Err: fs.ErrPermission}
	}
	return d.Host.ReadDir(ctx, path)
}

// TestCachedLstat checks that many calls for one directory cause few operations on a slow host if the
// directory can be listed, and that existing files are found.
func TestCachedLstat(t *testing.T) {
	t.Parallel()
	const n, there = 200, 77
	for _, tt := range []struct {
		name          string
		trip          time.Duration
		unreadable    bool
		lstats, lists int32
	}{
		{name: "slow host", trip: 20 * time.Millisecond, lstats: 30, lists: 1},
		{name: "slow host, unreadable directory", trip: 20 * time.Millisecond, unreadable: true, lstats: n, lists: 1},
		{name: "fast host", lstats: n},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &distant{Host: memory.New(memory.Config{}), trip: tt.trip, unreadable: tt.unreadable}
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
								t.Errorf("%s: %+v, error %v, want the file with 1 byte", at(i), info, err)
							case i != there && (!errors.Is(err, fs.ErrNotExist) || failed == nil || failed.Path != at(i)):
								t.Errorf("%s: %+v, error %v, want a *host.Error about the missing path", at(i), info, err)
							}
						}
					})
				}
				all.Wait()
				if lstats := h.lstats.Load(); lstats > tt.lstats || tt.lstats == n && lstats != n {
					t.Errorf("%d calls of Lstat, want %d (or fewer if a listing is used)", lstats, tt.lstats)
				}
				if lists := h.lists.Load(); lists != tt.lists {
					t.Errorf("%d calls of ReadDir, want %d", lists, tt.lists)
				}
				if tt.lists == 0 || tt.unreadable {
					return
				}
				// A listing is outdated after two seconds.
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
