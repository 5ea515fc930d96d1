package faulttest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestAccSessions checks that all operations succeed with several session limits of the server
// and several values of -parallelism, with one connection for each process. Commands need
// a session each; files share sessions.
func TestAccSessions(t *testing.T) {
	tier.CI(t)
	t.Parallel()
	const files, commands = 40, 10
	check := func(t *testing.T, dir, version string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		resourcetest.Must(t, err)
		if len(entries) != files+commands {
			t.Errorf("version %s: %d files, want %d", version, len(entries), files+commands)
		}
		for kind, n := range map[string]int{"file": files, "command": commands} {
			for i := range n {
				content, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s %d", kind, i)))
				if want := fmt.Sprintf("%s of %d\n", version, i); err != nil || string(content) != want {
					t.Errorf("%s %d: %q, %v, want %q", kind, i, content, err, want)
				}
			}
		}
	}
	for _, sessions := range tier.Pick(nil, []int{2}, []int{0, 1, 2}) { // 0 is the default of sshd
		t.Run(fmt.Sprintf("MaxSessions=%d", sessions), func(t *testing.T) {
			t.Parallel()
			key := sshdtest.NewKey(t)
			server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}, MaxSessions: sessions})
			w, dir := newWorkdir(t), resourcetest.TempDir(t)
			w.Write("main.tf", resourcetest.Expand(dir, resourcetest.SSHBlock(t, server, key, "", "web")+fmt.Sprintf(`
variable "v" {
  type = number
}
resource "posix_file" "file" {
  count   = %d
  host    = "web"
  path    = "DIR/file ${count.index}"
  content = "${var.v} of ${count.index}\n"
}
resource "posix_command" "command" {
  count       = %d
  host        = "web"
  environment = { V = var.v, PLACE = "DIR/command ${count.index}", N = count.index }
  create      = "echo \"$V of $N\" >\"$PLACE\""
  read        = "cat \"$PLACE\""
  update      = "echo \"$V of $N\" >\"$PLACE\""
  delete      = "rm \"$PLACE\""
}
`, files, commands)))
			connections := 0
			run := func(want int, args ...string) {
				t.Helper()
				w.Do(nil, append(args, "-no-color")...)
				if n := server.Connections() - connections; n != want {
					t.Errorf("%s: %d connections, want %d", args, n, want)
				}
				connections = server.Connections()
			}
			for _, parallelism := range []string{"10", "50", "200"} {
				set := "-var=v=" + parallelism
				run(2, "apply", "-auto-approve", "-parallelism="+parallelism, set) // apply plans with one provider process and applies with another
				check(t, dir, parallelism)
				run(1, "plan", "-detailed-exitcode", "-parallelism="+parallelism, set)
			}
			run(2, "destroy", "-auto-approve", "-parallelism=200", "-var=v=200")
			entries, err := os.ReadDir(dir)
			resourcetest.Must(t, err)
			if len(entries) > 0 {
				t.Errorf("%d files are left after the destroy, want none", len(entries))
			}
		})
	}
}

// TestAccOneSession checks files with a validation command and a backup, each of which needs
// several sessions one after the other, on a server that permits only one session at a time.
func TestAccOneSession(t *testing.T) {
	t.Parallel()
	const files = 20
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}, MaxSessions: 1})
	w, dir := newWorkdir(t), resourcetest.TempDir(t)
	w.Write("main.tf", resourcetest.Expand(dir, resourcetest.SSHBlock(t, server, key, "", "web")+fmt.Sprintf(`
variable "v" {
  type = string
}
resource "posix_file" "file" {
  count    = %d
  host     = "web"
  path     = "DIR/file ${count.index}"
  content  = "${var.v} of ${count.index}\n"
  write_options = {
    validate = ["grep", "-qx", "[a-z]* of ${count.index}", "%%s"]
    backup   = true
  }
}
`, files)))
	for _, step := range []struct {
		apply, version string
		code           int
	}{{"one", "one", 0}, {"two", "two", 0}, {"THREE", "two", 1}} { // validate rejects the last version
		version, connections := step.version, server.Connections()
		w.Do([]int{step.code}, "apply", "-auto-approve", "-no-color", "-parallelism=50", "-var=v="+step.apply)
		if n := server.Connections() - connections; n != 2 {
			t.Errorf("%s: %d connections, want 2", step.apply, n)
		}
		want := map[string]string{}
		got, err := resourcetest.Tree(dir)
		resourcetest.Must(t, err)
		for i := range files {
			want[fmt.Sprintf("file %d", i)] = fmt.Sprintf("-rw-r--r-- %s of %d\n", version, i)
			if version == "two" {
				want[fmt.Sprintf(".file %d.backup~", i)] = fmt.Sprintf("-rw-r--r-- one of %d\n", i)
			}
		}
		found := map[string]string{}
		for name, is := range got { // remove the timestamps of backups
			if before, _, kept := strings.Cut(name, ".backup-"); kept {
				name = before + ".backup~"
			}
			found[name] = is
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("after %s: on disk (-want +got):\n%s", step.apply, diff)
		}
	}
}

// TestAccBlackHole checks that a host that does not respond delays no other host, and
// that the run can be interrupted while it waits for the host.
func TestAccBlackHole(t *testing.T) {
	t.Parallel()
	const others, each = 11, 3
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	hole, holePort, _ := strings.Cut(nettest.BlackHole(t), ":")
	w, dir, ssh := newWorkdir(t), resourcetest.TempDir(t), filepath.Join(t.TempDir(), "config")

	names := make([]string, others)
	for i := range names {
		names[i] = "web" + strconv.Itoa(i)
	}
	extra := fmt.Sprintf("    hole = { ssh_config = %q, connect_retries = 0 }\n", ssh)
	w.Write("main.tf", resourcetest.Expand(dir, resourcetest.SSHBlock(t, server, key, extra, names...)+fmt.Sprintf(`
locals {
  hosts = concat([for n in range(%d) : "web${n}"], ["hole"])
}
resource "posix_file" "file" {
  for_each = { for pair in setproduct(local.hosts, range(%d)) : join("-", pair) => pair[0] }
  host     = each.value
  path     = "DIR/${each.key}"
  content  = "on ${each.value}\n"
}
`, others, each)))
	// During the plan, host hole refuses connections, which fails quickly.
	resourcetest.Must(t, os.WriteFile(ssh, []byte("Host hole\nHostName 127.0.0.1\nPort 1\n"), 0o600))
	w.Do(nil, "plan", "-no-color", "-out=plan")
	resourcetest.Must(t, os.WriteFile(ssh, fmt.Appendf(nil, "Host hole\nHostName %s\nPort %s\nConnectTimeout 600\n", hole, holePort), 0o600))

	begin := time.Now()
	run := resourcetest.Interrupt(t, w, func() bool {
		found, err := filepath.Glob(filepath.Join(dir, "web*"))
		resourcetest.Must(t, err)
		if len(found) < others*each && time.Since(begin) > 2*time.Minute {
			t.Fatalf("%d of %d files exist after 2 minutes; a host that does not respond delays the others", len(found), others*each)
		}
		return len(found) == others*each
	}, "apply", "-no-color", "plan")
	if run.Code == 0 {
		t.Errorf("the interrupted run has no error:\n%s", run.Output)
	}
	if state := w.Do(nil, "state", "list").Output; strings.Count(state, "web") != others*each || strings.Contains(state, "hole") {
		t.Errorf("the state does not have exactly the files of the other hosts:\n%s", state)
	}
	if n := server.Connections(); n != 2*others {
		t.Errorf("%d connections, want %d: one for the plan and one for the apply on each host other than hole", n, 2*others)
	}
	if _, errs, _ := strings.Cut(run.Output, "Error: "); strings.Contains(errs, "web") {
		t.Errorf("hosts other than hole have errors:\n%s", run.Output)
	}
}
