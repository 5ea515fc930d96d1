package hosttest

import (
	"context"
	"hash/fnv"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// NewHost returns a host and an empty directory on it.
type NewHost func(t *testing.T) (host.Host, string)

// Run tests the whole contract.
func Run(t *testing.T, newHost NewHost) { RunPart(t, newHost, 0, 1) }

// RunPart runs one of several parts of the tests, numbered from 0. All parts together are
// the same as Run. Hosts that differ in one aspect only can each run one part.
func RunPart(t *testing.T, newHost NewHost, part, parts int) {
	for _, group := range []struct {
		name string
		test func(*testing.T, suite)
	}{
		{"matrix", testMatrix},
		{"paths", testPaths},
		{"names", testNames},
		{"info", testInfo},
		{"read", testRead},
		{"list", testList},
		{"write", testWrite},
		{"write failures", testWriteFailures},
		{"before replace", testBeforeReplace},
		{"edits", testEdits},
		{"temporary files", testTemps},
		{"concurrency", testConcurrency},
		{"modes", testModes},
		{"owners", testOwners},
		{"permission", testPermission},
		{"directories", testDirectories},
		{"links", testLinks},
		{"unsafe links", testUnsafeLinks},
		{"reading trees", testReadTree},
		{"writing trees", testWriteTree},
		{"contexts", testContexts},
		{"accounts", testAccounts},
		{"commands", testCommands},
		{"connections", testConnections},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.test(t, suite{newHost, group.name, part, parts})
		})
	}
}

// suite is the configuration of a group of tests.
type suite struct {
	newHost     NewHost
	group       string
	part, parts int
}

// has reports whether a test is in the part that runs.
func (s suite) has(name string) bool {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(s.group + "/" + name)) // Write of a hash never fails
	return int(sum.Sum32()%uint32(s.parts)) == s.part
}

// env is a host, its empty directory, and helpers for a test.
type env struct {
	*testing.T
	host.Host
	dir string
}

// run runs one test with a host of s.newHost, if the test belongs to the part that runs.
func run(t *testing.T, s suite, name string, test func(e env)) {
	t.Helper()
	if !s.has(name) {
		return
	}
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		h, dir := s.newHost(t)
		test(env{T: t, Host: h, dir: dir})
	})
}

// Name and Run are those of the host; T has methods of the same names.

func (e env) Name() string { return e.Host.Name() }

func (e env) Run(ctx context.Context, command host.Command) (host.Result, error) {
	return e.Host.Run(ctx, command)
}

func (e env) ctx() context.Context { return e.T.Context() }

func (e env) path(name string) string { return e.dir + "/" + name }
