package faulttest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// peaks records the highest peak memory of the processes of a program, in bytes, until stop
// returns it. The kernel keeps the maximum of each process, so late samples suffice.
type peaks struct {
	exe  string
	done chan struct{}
	over chan struct{}
	most int64
}

func watchMemory(exe string) *peaks {
	p := &peaks{exe: exe, done: make(chan struct{}), over: make(chan struct{})}
	go func() {
		defer close(p.over)
		for {
			p.look()
			select {
			case <-p.done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return p
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

func (p *peaks) look() {
	for _, dir := range resourcetest.Running(p.exe) {
		status, err := os.ReadFile(dir + "/status")
		if m := highWater.FindSubmatch(status); err == nil && m != nil {
			kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
			p.most = max(p.most, kb<<10)
		}
	}
}

func (p *peaks) stop() int64 {
	close(p.done)
	<-p.over
	return p.most
}

// TestAccLargeSource creates a copy of a source that is larger than the memory that the provider may use,
// plans the repair of its drift, and updates and destroys it. POSIX_LARGE_SOURCE sets the size of the source
// in MiB.
func TestAccLargeSource(t *testing.T) {
	const limit = 100 << 20
	size := tier.Pick[int64](0, 128<<20, 256<<20)
	if mib, err := strconv.ParseInt(os.Getenv("POSIX_LARGE_SOURCE"), 10, 64); err == nil {
		size = mib << 20
	}
	w, own := ownProgram(t)
	dir := resourcetest.TempDir(t)
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "copy")
	resourcetest.Must(t, resourcetest.Put(source, "begins\n", 0o600), os.Truncate(source, size)) // sparse
	w.Write("main.tf", fmt.Sprintf("resource \"posix_file\" \"it\" {\n  path   = %q\n  source = %q\n}\n", path, source))
	log := filepath.Join(w.Dir, "log")
	w.Env = []string{"TF_LOG_PROVIDER=DEBUG", "TF_LOG_PATH=" + log}

	memory := watchMemory(own)
	begun := time.Now()
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	resourcetest.Must(t, resourcetest.Put(path, "drifted", 0o644))
	w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color")
	resourcetest.Must(t, resourcetest.Put(source, "begins again\n", 0o600), os.Truncate(source, size))
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	took := time.Since(begun)
	most := memory.stop()
	info, err := os.Stat(path)
	resourcetest.Must(t, err)
	if info.Size() != size {
		t.Errorf("the copy has %d bytes, want %d", info.Size(), size)
	}
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")

	t.Logf("a source of %d MiB, with at most %d MiB of memory, took %s", size>>20, most>>20, took.Round(time.Millisecond))
	if most == 0 || most > limit {
		t.Errorf("a provider used %d MiB of memory, want 1 to %d", most>>20, limit>>20)
	}
	logged, err := os.ReadFile(log)
	resourcetest.Must(t, err)
	if !strings.Contains(string(logged), "copying a source: done") || !strings.Contains(string(logged), fmt.Sprintf("bytes=%d", size)) {
		t.Error("the log has no entry about the copy")
	}
}
