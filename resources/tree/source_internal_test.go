package tree

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"
	"testing/synctest"
)

// TestScanGoroutines checks that a scan does not start one goroutine for each file.
func TestScanGoroutines(t *testing.T) {
	t.Parallel()
	const files = 2000
	source := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(source, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		scanned := &Tree{Source: source, Path: "/srv/site", cache: newCache()}
		slots := scanned.cache.slots
		for range cap(slots) { // no file can be read
			slots <- struct{}{}
		}
		before := goruntime.NumGoroutine()
		done := make(chan error)
		go func() {
			found, err := scanned.scan(t.Context())
			if err == nil && len(found.items) != files+1 {
				err = fmt.Errorf("%d objects, want %d", len(found.items), files+1)
			}
			done <- err
		}()
		synctest.Wait()
		if more := goruntime.NumGoroutine() - before; more > files/2 {
			t.Errorf("the scan has started %d goroutines for %d files, want at most %d", more, files, files/2)
		}
		for range cap(slots) {
			<-slots
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
