package faulttest_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// ownProgram returns a working directory with a provider program that no other test
// runs, so that the path of the program identifies its processes.
func ownProgram(t *testing.T) (w *acctest.Workdir, own string) {
	t.Helper()
	tier.CI(t)
	own = resourcetest.NewProgram(t)
	return acctest.NewWorkdir(t, own), own
}

// running returns the directories in /proc of the processes that run a program.
func running(program string) []string {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return nil
	}
	var dirs []string
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == program {
			dirs = append(dirs, filepath.Dir(link))
		}
	}
	return dirs
}

// process returns the process that runs the program, or nil.
func process(program string) *os.Process {
	for _, dir := range running(program) {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		// The handle refers to this process from here on. Check that it is the right
		// one.
		if exe, err := os.Readlink(dir + "/exe"); err == nil && exe == program {
			return p
		}
	}
	return nil
}

// untilEnded waits until no process runs a program.
func untilEnded(program string) {
	for running(program) != nil {
		time.Sleep(time.Millisecond)
	}
}

// killingMoments returns a random source, seeded with POSIX_KILL_SEED if it is set.
func killingMoments(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("POSIX_KILL_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("POSIX_KILL_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
