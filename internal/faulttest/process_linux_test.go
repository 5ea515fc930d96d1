package faulttest_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// ownProgram returns a working directory with a provider program that no other test
// runs, so that the path of the program identifies its processes. It calls [tier.CI].
func ownProgram(t *testing.T) (w *acctest.Workdir, own string) {
	t.Helper()
	tier.CI(t)
	own = resourcetest.NewProgram(t)
	w = acctest.NewWorkdir(t, own)
	w.Env = []string{"PLUGIN_UNIX_SOCKET_DIR=" + t.TempDir()} // a killed provider leaves its socket
	return w, own
}

// killRandom returns a random number generator, seeded with the number in POSIX_KILL_SEED or else with the time.
func killRandom(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("POSIX_KILL_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("POSIX_KILL_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
