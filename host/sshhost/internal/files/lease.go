package files

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A temporary file on another machine can not be locked by its writer. Instead
// its name tells who writes it: the machine and the process that this package
// runs in, and something random, so that no two writers ever use one name and
// nobody's late rename puts another's half-written file in place. What a killed
// writer left is so told from what a live one fills:
//
//   - The machine is this one, and has no such process: left over.
//   - Anything else may be live; after ten minutes without a change, by the
//     host's own clock, it is taken for left over. Should that be wrong, its
//     writer finds nothing to rename, and says so.
//   - A name without a lease is left over. Only host/local makes such names,
//     which no one should use for the same path at the same time.
//   - This process knows what it writes itself, and what it failed to remove.

// lease is a new variant of [host.TempPath].
func (f *Files) lease() string {
	return fmt.Sprintf("%s-%d-%s", f.machine, os.Getpid(), strings.ToLower(rand.Text()[:6]))
}

var leaseForm = regexp.MustCompile(`^([0-9a-f]{8})-([0-9]+)-[0-9a-z]{6}$`)

// holder is who holds a lease.
type holder int

const (
	nobody  holder = iota // it is no lease, or its process has ended
	unknown               // it may be live
)

func (f *Files) holderOf(variant string) holder {
	parts := leaseForm.FindStringSubmatch(variant)
	if parts == nil {
		return nobody
	}
	pid, err := strconv.Atoi(parts[2])
	if err == nil && parts[1] == f.machine && !alive(pid) {
		return nobody
	}
	return unknown
}

// machine names the set of processes that a number of a process is one of: of
// this boot, and of the container, for containers often share all but that.
func machine() string {
	name, _ := os.Hostname() // each part tells what it can
	parts := []string{name}
	for _, file := range []string{"/etc/machine-id", "/proc/sys/kernel/random/boot_id"} {
		content, _ := os.ReadFile(file)
		parts = append(parts, string(content))
	}
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(strings.Join(append(parts, space), "\x00")))
	return hex.EncodeToString(sum[:4])
}
