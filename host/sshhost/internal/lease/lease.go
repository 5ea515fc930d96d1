package lease

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Age is how long a temporary file that may have a writer is kept without a change, by
// the clock of its host. A writer that is slower finds nothing to rename, and fails.
const Age = 10 * time.Minute

// New returns a variant for [host.TempPath] that no other writer has.
func New() string {
	return fmt.Sprintf("%s-%d-%s", processSet(), os.Getpid(), strings.ToLower(rand.Text()[:6]))
}

var form = regexp.MustCompile(`^([0-9a-f]{8})-([0-9]+)-[0-9a-z]{6}$`)

// Abandoned reports whether nobody writes the temporary file of a variant: its process
// has ended, or the variant is no lease, which only host/local makes. Of other files
// nobody knows before [Age].
func Abandoned(variant string) bool {
	parts := form.FindStringSubmatch(variant)
	if parts == nil {
		return true
	}
	pid, err := strconv.Atoi(parts[2])
	return err == nil && parts[1] == processSet() && !alive(pid)
}

// processSet names the set of processes that a PID belongs to: of this boot, and of this
// container, as containers often share all but that.
var processSet = sync.OnceValue(func() string {
	name, _ := os.Hostname() // each part tells what it can
	parts := []string{name}
	for _, file := range []string{"/etc/machine-id", "/proc/sys/kernel/random/boot_id"} {
		content, _ := os.ReadFile(file)
		parts = append(parts, string(content))
	}
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(strings.Join(append(parts, space), "\x00")))
	return hex.EncodeToString(sum[:4])
})
