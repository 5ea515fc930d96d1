package fleettest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// The settings of [TestInterruptedFleet].
const (
	// envSeeds is the environment variable with the number of seeds. The default is 12.
	envSeeds = "FLEET_SEEDS"
	// envSeed is the environment variable with the first seed. The default is random.
	envSeed = "FLEET_SEED"

	interruptedResources = 30
	interruptedDrifts    = 10
	maxTurn              = 100 // maximum number of round trips before the pause
	maxPause             = 4 * time.Second
	stall                = 10 * time.Second
)

func TestMain(m *testing.M) {
	resourcetest.Main(m, func() (provider.Interface, error) { return resources.New("test") })
}

// TestInterruptedFleet interrupts each apply of a fleet on one host over SSH: the create of all resources, the
// repair of some, and the destroy. The client, the provider or the sessions on the host are killed, or the
// connection is reset or stalls. After that, each file is either as before or as configured. The next apply is
// complete, and after the destroy the host is as it was before.
func TestInterruptedFleet(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	first, seeds := rand.Uint64(), uint64(12)
	for env, number := range map[string]*uint64{envSeed: &first, envSeeds: &seeds} {
		if text := os.Getenv(env); text != "" {
			var err error
			*number, err = strconv.ParseUint(text, 10, 64)
			resourcetest.Must(t, err)
		}
	}
	f := newInterruptedFleet(t)
	hits := 0
	for seed := first; seed < first+seeds; seed++ {
		if !t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { hits += f.live(t, seed) }) && t.Context().Err() == nil {
			f = newInterruptedFleet(t) // the root of a failed run may still have objects
		}
	}
	t.Logf("%d applies of %d seeds were interrupted", hits, seeds)
	if hits == 0 {
		t.Error("no apply was interrupted")
	}
}

// interruptedFleet is a fleet on one host, whose provider runs in a process of its own.
type interruptedFleet struct {
	*mixedFleet
	root    *roottest.Root
	line    *nettest.Proxy
	program string
}

func newInterruptedFleet(t *testing.T) *interruptedFleet {
	t.Helper()
	f := &interruptedFleet{mixedFleet: newMixedFleet(t, "a"), program: resourcetest.NewProgram(t)}
	f.root, f.line = f.roots["a"], f.lines["a"]
	f.block = strings.Replace(f.block, "provider \"posix\" {\n", "provider \"posix\" {\n"+
		"  keep_alive = \"2s\"\n  keep_alive_count = 2\n  connect_timeout = \"5s\"\n  connect_retries = 1\n", 1)
	return f
}

// live runs one seed, and returns the number of interrupted commands.
func (f *interruptedFleet) live(t *testing.T, seed uint64) (hits int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	all := f.draw(r, interruptedResources)
	w := acctest.NewWorkdir(t, f.program)
	w.Env = []string{"PLUGIN_UNIX_SOCKET_DIR=" + t.TempDir()} // a provider leaves its socket if it or its client is killed
	w.Write("main.tf", f.text(all, false))
	clean := f.snapshot(t)
	apply := []string{"apply", "-auto-approve", "-no-color"}
	destroy := []string{"destroy", "-auto-approve", "-no-color"}

	killed := false // whether objects that an apply created may be missing from the state
	step := func(args []string) {
		t.Helper()
		before := f.snapshot(t)
		hit, description := f.interrupt(t, r, w, args)
		killed = killed || strings.Contains(description, "the client is killed") || strings.Contains(description, "the provider is killed")
		hits += hit
		during := f.snapshot(t)
		w.Do(nil, args...)
		after := f.snapshot(t)
		for _, problem := range torn(before, during, after) {
			t.Errorf("%s: %s", description, problem)
		}
	}
	step(apply)
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	for _, i := range r.Perm(len(all))[:interruptedDrifts] {
		name, d := all[i].drift(r)
		t.Logf("%s: %s", all[i].address(), name)
		d.do(t, f.root, all[i].id)
	}
	step(apply)
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	step(destroy)
	f.root.Run(t, "sh", "-ec", removeKept)
	if killed {
		f.root.Run(t, "sh", "-ec", removeTrees)
	}
	if diff := cmp.Diff(clean, f.snapshot(t)); diff != "" {
		t.Errorf("the destroy left differences on the host (-before +after):\n%s", diff)
	}
	return hits
}

// removeKept removes the empty files and directories that a destroy keeps: the mount points that posix_mount
// created, and the file of posix_authorized_key.
const removeKept = `for dir in /srv/mixed/*.mount; do [ ! -e $dir ] || rmdir $dir; done
cd /home/mixed/.ssh && [ ! -s authorized_keys ] && rm -f authorized_keys`

// removeTrees removes empty directories of posix_tree. A destroy keeps directories that the state does not list as
// created by the tree, such as those of a create that was killed.
const removeTrees = `for dir in /srv/mixed/*.tree; do [ ! -e $dir ] || find $dir -depth -type d -exec rmdir {} +; done`

// interruptions are the ways to interrupt a command. Each reports whether it interrupted the command, and returns a
// function to call after the end of the command, or nil.
var interruptions = []struct {
	name string
	do   func(t *testing.T, f *interruptedFleet, client *os.Process) (done bool, end func())
}{
	{"the client is killed", func(t *testing.T, _ *interruptedFleet, client *os.Process) (bool, func()) {
		t.Helper()
		return client.Kill() == nil, nil
	}},
	{"the provider is killed", func(t *testing.T, f *interruptedFleet, _ *os.Process) (bool, func()) {
		t.Helper()
		p := resourcetest.Process(f.program) // nil between plan and apply
		return p != nil && p.Kill() == nil, nil
	}},
	{"the sessions on the host are killed", func(t *testing.T, f *interruptedFleet, _ *os.Process) (bool, func()) {
		t.Helper()
		f.root.Run(t, "sh", "-c", `for dir in /proc/[0-9]*; do
	case $(tr '\0' ' ' <$dir/cmdline) in "sshd: root@"*) kill -KILL ${dir#/proc/} ;; esac
done 2>/dev/null; true`)
		return true, nil
	}},
	{"the connection is reset", func(t *testing.T, f *interruptedFleet, _ *os.Process) (bool, func()) {
		t.Helper()
		f.line.Cut()
		return true, nil
	}},
	{"the connection stalls", func(t *testing.T, f *interruptedFleet, _ *os.Process) (bool, func()) {
		t.Helper()
		f.line.Stall() // for longer than the keepalive timeout of the provider, which then connects again
		resume := time.AfterFunc(stall, f.line.Resume)
		return true, func() {
			if resume.Stop() {
				f.line.Resume()
			}
		}
	}},
}

// interrupt runs a command and interrupts it after a random number of round trips and a random pause, during which
// programs on the host may run. It returns 1 if it interrupted the command, otherwise 0, and a description.
func (f *interruptedFleet) interrupt(t *testing.T, r *rand.Rand, w *acctest.Workdir, args []string) (hit int, description string) {
	t.Helper()
	how := interruptions[r.IntN(len(interruptions))]
	turn, x := 1+r.IntN(maxTurn), r.Float64()
	pause := time.Duration(x * x * x * float64(maxPause)).Round(time.Millisecond) // short pauses are more frequent
	turn += f.line.Turns()
	description = fmt.Sprintf("%s: %s after %d round trips and %s", args[0], how.name, turn-f.line.Turns(), pause)
	began := time.Now()
	cmd := w.Command(t.Context(), args...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Minute // a provider whose client was killed ends by itself
	resourcetest.Must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	over := func(until func() bool) bool {
		for !until() {
			select {
			case err = <-ended:
				return true
			case <-time.After(200 * time.Microsecond):
			}
		}
		return false
	}
	if over(func() bool { return f.line.Turns() >= turn }) {
		t.Logf("%s: the command ended after %s: %v", description, time.Since(began).Round(time.Millisecond), err)
		resourcetest.Must(t, err)
		return 0, description
	}
	resumed := time.Now().Add(pause)
	if over(func() bool { return time.Now().After(resumed) }) {
		t.Logf("%s: the command ended in the pause, after %s", description, time.Since(began).Round(time.Millisecond))
		resourcetest.Must(t, err)
		return 0, description
	}
	done, end := how.do(t, f, cmd.Process)
	err = <-ended
	if end != nil {
		end()
	}
	for deadline := time.Now().Add(time.Minute); resourcetest.Running(f.program) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: the provider is still running a minute after the end of its client", description)
		}
	}
	t.Logf("%s: the command ended after %s: %v", description, time.Since(began).Round(time.Millisecond), err)
	if done {
		hit = 1
	}
	return hit, description
}

// The files that belong to one resource each, and those that several resources change.
var (
	ownPaths    = []string{"srv/mixed", "etc/sudoers.d", "etc/cron.d", "etc/systemd/system"}
	sharedPaths = []string{"srv/mixed/theirs", "etc/passwd", "etc/group", "etc/fstab", "home/mixed/.ssh/authorized_keys"}
)

const (
	packageList = "packages"
	mountList   = "mounts"
)

// snapshot returns the objects at and below ownPaths and sharedPaths by path: mode, owner, group, and content or
// target. Temporary files are included. The keys packageList and mountList have the packages and the mounts.
func (f *interruptedFleet) snapshot(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{
		packageList: f.root.Run(t, "dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package} ${Version}\\n"),
		mountList:   f.root.Run(t, "sh", "-c", "grep ' /srv/mixed/' /proc/mounts || :"),
	}
	for _, path := range slices.Concat(ownPaths, sharedPaths) {
		err := filepath.WalkDir(filepath.Join(f.root.Dir, path), func(at string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(at, f.root.Dir+"/")
			sys := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // the type on Linux
			all[name] = fmt.Sprintf("%s %d:%d ", info.Mode(), sys.Uid, sys.Gid)
			switch {
			case info.Mode().IsRegular():
				content, err := os.ReadFile(at)
				all[name] += "\n" + string(content)
				return err
			case info.Mode().Type() == fs.ModeSymlink:
				target, err := os.Readlink(at)
				all[name] += target
				return err
			}
			return nil
		})
		resourcetest.Must(t, err)
	}
	return all
}

// chosenID matches a UID in /etc/passwd or a GID in /etc/group that the host chose. The next apply replaces
// an account whose creation was interrupted, and the new account gets another ID.
var chosenID = regexp.MustCompile(`(?m)^([^:\n]+:[^:\n]*:)1\d{3}\b`)

// torn describes the objects that differ, after an interrupted apply, from those before it and from those after the next
// apply. For mounts and for files that several resources change, it describes the lines that differ. It ignores packages,
// temporary files, IDs that the host chose, new directories with the mode 0700, and mount points, which are created
// before the mount.
func torn(before, during, after map[string]string) (problems []string) {
	for path := range before {
		_, stays := after[path]
		if _, is := during[path]; stays && !is {
			problems = append(problems, path+" is missing, although it exists before and after")
		}
	}
	for path, is := range during {
		switch {
		case path == packageList, is == before[path], is == after[path], strings.HasSuffix(path, ".mount"), slices.ContainsFunc(strings.Split(path, "/"), host.IsTempPath):
			continue
		case before[path] == "" && strings.HasPrefix(is, "drwx------ "): // a new directory gets its owner, and then its mode
			continue
		case path == mountList, slices.Contains(sharedPaths, path):
			lines := strings.Split(chosenID.ReplaceAllString(before[path]+"\n"+after[path], "${1}0"), "\n")
			for line := range strings.SplitSeq(is, "\n") {
				if !slices.Contains(lines, chosenID.ReplaceAllString(line, "${1}0")) {
					problems = append(problems, fmt.Sprintf("%s has the line %q, which is neither in\n%s\nnor in\n%s", path, line, before[path], after[path]))
				}
			}
		default:
			problems = append(problems, fmt.Sprintf("%s is\n%s\nneither\n%s\nnor\n%s", path, is, before[path], after[path]))
		}
	}
	return problems
}
