package lease

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
)

// Age is the time, by the clock of the file's host, after which a temporary file that does not
// change counts as abandoned even if it may still have a writer. If a slower writer loses
// its file, its rename fails.
const Age = 10 * time.Minute

// New returns a unique variant for [host.TempPath].
func New() string {
	return fmt.Sprintf("%s-%d-%s", processSet(), os.Getpid(), strings.ToLower(rand.Text()[:6]))
}

var form = regexp.MustCompile(`^([0-9a-f]{8})-([0-9]+)-[0-9a-z]{6}$`)

// Abandoned reports whether no writer needs a temporary file with this variant: the process of the writer
// has ended, or the file is a link of host/local, which creates a removed link again. Abandoned returns false
// for all other files, such as those of a provider that runs on the host of the file: before [Age], it is
// unknown whether a writer needs them.
func Abandoned(variant string) bool {
	parts := form.FindStringSubmatch(variant)
	if parts == nil {
		return variant == "link"
	}
	pid, err := strconv.Atoi(parts[2])
	return err == nil && parts[1] == processSet() && !alive(pid)
}

// alive reports whether a process of this host may still be running.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if pid == 0 || err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	// Signal 0 only checks the process. After any other error, such as a missing permission, it may be running.
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// processSet identifies the set of processes that a PID belongs to: those of this boot and this
// container. All parts but the PID namespace may be the same in several containers.
var processSet = sync.OnceValue(func() string {
	name, _ := os.Hostname() // each part is optional
	parts := []string{name}
	for _, file := range []string{"/etc/machine-id", "/proc/sys/kernel/random/boot_id"} {
		content, _ := os.ReadFile(file)
		parts = append(parts, string(content))
	}
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(strings.Join(append(parts, space), "\x00")))
	return hex.EncodeToString(sum[:4])
})

// maxWait is how long a writer waits for another writer of the same path.
const maxWait = 5 * time.Second

// Locks serialises the writers of one path in this process.
type Locks struct{ paths host.KeyedMutex[string] }

// Lock waits for the lock of a path, up to maxWait. A writer that does not get the lock by
// then gets no error and writes concurrently; the file then has the content of one of the writers. If
// ctx ends first, the error is its cause.
func (l *Locks) Lock(ctx context.Context, path string) (release func(), err error) {
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	if release, err = l.paths.Lock(limited, path); err != nil && ctx.Err() == nil {
		return func() {}, nil
	}
	return release, err
}
