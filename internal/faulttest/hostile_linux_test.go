package faulttest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/hostilessh"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestAccHostileHosts checks that hosts whose servers misbehave do not affect the rest of the apply:
// all objects on the other hosts are created, no error is about them, the provider does not
// crash, and its memory use is limited.
func TestAccHostileHosts(t *testing.T) {
	tier.CI(t)
	sshdtest.Require(t)
	for seed := range tier.Pick[uint64](0, 2, 20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			testHostileHosts(t, seed)
		})
	}
}

func testHostileHosts(t *testing.T, seed uint64) {
	t.Helper()
	const healthy, hostile, limit = 3, 8, 192 << 20
	w, own := ownProgram(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	dir, sshConfig := resourcetest.TempDir(t), filepath.Join(t.TempDir(), "config")
	badDir, err := os.MkdirTemp("/tmp", "hostile-") //nolint:usetesting // the parents of t.TempDir are private, and programs may run as another user
	resourcetest.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(badDir) })
	resourcetest.Must(t, os.Chmod(badDir, 0o777))

	r := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	var faults []string
	var names, good []string
	var more, refusing, serving strings.Builder
	for i := range hostile {
		name := fmt.Sprintf("hostile%d", i)
		server := hostilessh.Start(t, hostilessh.Command, func() hostilessh.Fault {
			mu.Lock()
			defer mu.Unlock()
			fault := hostilessh.Random(r)
			for fault.Kind == hostilessh.Flip { // a falsified PID could be that of a process of another host, which would then be killed
				fault = hostilessh.Random(r)
			}
			faults = append(faults, fmt.Sprint(name, ": ", fault))
			return fault
		})
		names = append(names, name)
		fmt.Fprintf(&more, "    %s = { user = %q, password = %q, ssh_config = %q, host_key_policy = \"insecure\", connect_timeout = \"2s\", connect_retries = 1, keep_alive = \"1s\" }\n",
			name, hostilessh.User, hostilessh.Password, sshConfig)
		fmt.Fprintf(&refusing, "Host %s\nHostName 127.0.0.1\nPort 1\n", name)
		fmt.Fprintf(&serving, "Host %s\nHostName 127.0.0.1\nPort %d\n", name, server.Port())
	}
	for i := range healthy {
		name := fmt.Sprintf("healthy%d", i)
		names, good = append(names, name), append(good, name)
	}
	w.Write("main.tf", resourcetest.Expand(dir, resourcetest.SSHBlock(t, server, key, more.String(), good...)+fmt.Sprintf(`
locals {
  dirs = { for name in split(" ", %q) : name => startswith(name, "healthy") ? "DIR/${name}" : "%s/${name}" }
}
resource "posix_directory" "it" {
  for_each = local.dirs
  host     = each.key
  path     = each.value
  mode     = "0777"
}
resource "posix_file" "it" {
  for_each = local.dirs
  host     = each.key
  path     = "${each.value}.conf"
  content  = "on ${each.key}\n"
}
resource "posix_symlink" "it" {
  for_each = local.dirs
  host     = each.key
  path     = "${each.value}.link"
  target   = "${each.key}.conf"
}
resource "posix_command" "it" {
  for_each    = local.dirs
  host        = each.key
  environment = { OUT = "${each.value}.out" }
  create      = "echo made >$OUT"
  read        = "cat $OUT"
  delete      = "rm $OUT"
}
`, strings.Join(names, " "), badDir)))

	// During the plan, the hostile hosts refuse connections: an error during the plan would end the run for all hosts.
	resourcetest.Must(t, os.WriteFile(sshConfig, []byte(refusing.String()), 0o600))
	w.Do(nil, "plan", "-no-color", "-out=plan")
	resourcetest.Must(t, os.WriteFile(sshConfig, []byte(serving.String()), 0o600))

	memory := watchMemory(own)
	cmd := w.Command(t.Context(), "apply", "-no-color", "-parallelism=100", "plan")
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &printed
	resourcetest.Must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	want := []string{}
	for _, name := range good {
		want = append(want, name, name+".conf", name+".link", name+".out")
	}
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if found, err := os.ReadDir(dir); err == nil && len(found) >= len(want) || time.Since(begin) > 2*time.Minute || len(ended) > 0 {
			break
		}
	}
	// An operation on a hostile host that sends nothing but keepalives lasts until the interrupt.
	interrupt := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Signal(os.Interrupt) }) // the run may have ended
	defer interrupt.Stop()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the run succeeded, want errors of the hostile hosts")
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("the run is still waiting for a host minutes after the interrupt")
	}
	output := printed.String()
	if most := memory.stop(); most == 0 || most > limit {
		t.Errorf("the provider used %d MiB of memory, want 1 to %d", most>>20, limit>>20)
	} else {
		t.Logf("%d errors, %d connections to hostile hosts, at most %d MiB of memory", strings.Count(output, "Error: "), len(faults), most>>20)
	}

	var got []string
	entries, err := os.ReadDir(dir)
	resourcetest.Must(t, err)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	state := w.Do(nil, "state", "list").Output
	_, errs, _ := strings.Cut(output, "Error: ")
	if !slices.Equal(got, want) || strings.Count(state, "healthy") != len(want) || strings.Contains(errs, "healthy") ||
		strings.Contains(output, "panic") || strings.Contains(output, "did not respond") {
		t.Errorf("on disk %v, want %v, all in the state, no error about the other hosts and no crash\nstate:\n%s\noutput:\n%s\nfaults: %v", got, want, state, output, faults)
	}
}
