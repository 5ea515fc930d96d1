//go:build unix && !aix && !solaris

package local_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

const killSize = 100_000

// TestPartWriter is the program of a process that TestKill starts and kills: it writes the
// same files repeatedly, each filled with one letter, and replaces symbolic links.
func TestPartWriter(t *testing.T) {
	t.Parallel()
	dir, ok := partOf("writer")
	if !ok {
		t.Skip("this runs only as a process of another test")
	}
	h, _ := newHost(t)
	fmt.Println("started")
	for round := 0; ; round++ {
		for _, name := range killNames {
			content := strings.NewReader(strings.Repeat(string(rune('a'+round%26)), killSize))
			opts := host.WriteOptions{
				Attributes: host.Attributes{Mode: new(host.Mode(0o640))},
				Exclusive:  strings.HasPrefix(name, "new"),
				NoSync:     round%2 == 0,
			}
			path := filepath.Join(dir, name)
			if opts.Exclusive && round > 0 {
				if err := h.Remove(t.Context(), path); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := h.WriteFile(t.Context(), path, content, opts); err != nil {
				t.Fatal(err)
			}
			if _, err := h.ReplaceSymlink(t.Context(), name, path+"-link", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

var killNames = []string{"one", "two", "new one", strings.Repeat("n", 240)}

// TestKill kills a writer at random moments, and checks that files are complete and have their
// mode, and that the next write removes all leftovers.
func TestKill(t *testing.T) {
	t.Parallel()
	if os.Getenv(rerunEnv) != "" {
		t.Skip("this is a process of another test")
	}
	kills := tier.Pick(5, 20, 60)
	left := 0
	for range kills {
		h, dir := newHost(t)
		startAndKill(t, "writer:"+dir, time.Duration(rand.IntN(30_000))*time.Microsecond)
		entries, err := h.ReadDir(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if host.IsTempPath(e.Name) {
				left++
			} else if e.Type == host.TypeRegular {
				wantWhole(t, h, filepath.Join(dir, e.Name))
			}
		}
		for _, name := range killNames {
			path := filepath.Join(dir, name)
			if _, err := h.WriteFile(t.Context(), path, strings.NewReader("next"), host.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.ReplaceSymlink(t.Context(), name, path+"-link", nil); err != nil {
				t.Fatal(err)
			}
		}
		if entries, err = h.ReadDir(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if len(entries) != 2*len(killNames) {
			t.Errorf("the directory contains %+v, want %d entries", entries, 2*len(killNames))
		}
	}
	t.Logf("%d kills left %d temporary files for the next writer to remove", kills, left)
	if left == 0 && kills >= 20 {
		t.Error("no writer was killed during a write")
	}
}

func wantWhole(t *testing.T, h host.Host, path string) {
	t.Helper()
	info, r, err := h.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) != killSize || strings.Trim(string(content), string(content[:1])) != "" || info.Mode != 0o640 {
		t.Errorf("%s has %d bytes and mode %s, want %d equal bytes and mode 0640", path, len(content), info.Mode, killSize)
	}
}

// startAndKill starts a process that runs a part, and kills it some time after it printed that it started.
func startAndKill(t *testing.T, part string, after time.Duration) {
	t.Helper()
	cmd := rerun(os.Args[0], part, "^TestPart")
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir(), "GOTMPDIR=") // a killed process leaves its temporary directories
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Text() != "started" && lines.Scan() {
		continue
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the writer ended before it was killed: %v", err)
	}
}
