package faulttest_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// slowLine is the delay of a connection that makes an apply long enough to interrupt it
// midway.
const slowLine = 5 * time.Millisecond

// webAt returns the provider's configuration with a server as host web at the address.
func webAt(t *testing.T, server *sshdtest.Server, key sshdtest.Key, addr string, settings ...string) string {
	t.Helper()
	at, port, _ := strings.Cut(addr, ":")
	settings = append(settings, "address = \""+at+"\"", "port = "+port, fmt.Sprintf("host_key = [%q]", ssh.FingerprintSHA256(server.HostKey())))
	return resourcetest.SSHBlock(t, server, key, "    web = { "+strings.Join(settings, ", ")+" }\n")
}

// webProgress returns the number of files of version v, by their size. For version 0 it
// returns the number of missing files.
func webProgress(dir string, count, v int) int {
	done := 0
	for n := range count {
		info, err := os.Lstat(fmt.Sprintf("%s/file-%d", dir, n))
		switch {
		case v == 0 && os.IsNotExist(err), v > 0 && err == nil && info.Size() == int64(len(webFile(v, n))):
			done++
		}
	}
	return done
}

// disturbed runs a command and calls do when midway returns true. came is false if the
// command ends first.
func disturbed(w *acctest.Workdir, midway func() bool, do func(), args ...string) (r acctest.Result, came bool) {
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for !midway() {
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
		}
		came = true
		do()
	})
	r = w.Run(args...)
	close(over)
	watching.Wait()
	return r, came
}

// runDisturbed is [disturbed], and fails the test if midway never returned true.
func runDisturbed(t *testing.T, w *acctest.Workdir, midway func() bool, do func(), args ...string) acctest.Result {
	t.Helper()
	r, came := disturbed(w, midway, do, args...)
	if !came {
		t.Fatalf("%s ended before the disturbance:\n%s", args, r.Output)
	}
	return r
}

// TestAccFaultRestart kills sshd with all sessions during an apply or a destroy and restarts sshd two
// seconds later. The command continues and succeeds.
func TestAccFaultRestart(t *testing.T) {
	tier.Nightly(t)
	parallelInCI(t)
	const files = 200
	for name, tt := range map[string]struct {
		before, after int // the version of the files; 0 means none
	}{
		"create": {0, 1}, "update": {1, 2}, "destroy": {2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := sshdtest.NewKey(t)
			server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
			line := nettest.Start(t, server.Addr(), slowLine)
			w, dir := newWorkdir(t), resourcetest.TempDir(t)
			w.Write("main.tf", webAt(t, server, key, line.Addr())+webFiles(dir, files))
			step := func(v int) []string {
				if v == 0 {
					return []string{"destroy", "-auto-approve", "-json", "-var=v=1"}
				}
				return []string{"apply", "-auto-approve", "-json", fmt.Sprintf("-var=v=%d", v)}
			}
			if tt.before > 0 {
				w.Do(nil, step(tt.before)...)
			}
			r := runDisturbed(t, w, func() bool { return webProgress(dir, files, tt.after) > files/5 }, func() {
				server.Kill()
				time.Sleep(2 * time.Second)
				if err := server.Restart(nil); err != nil {
					t.Error(err)
				}
			}, step(tt.after)...)
			if r.Code != 0 {
				t.Fatalf("the exit code is %d, want 0:\n%s", r.Code, r.Output)
			}
			if tt.after == 0 {
				resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{}))
				return
			}
			wantWebFiles(t, dir, files, tt.after)
			w.Do(nil, "plan", "-detailed-exitcode", "-no-color", fmt.Sprintf("-var=v=%d", tt.after))
		})
	}
}

// TestAccFaultStall checks that a connection that stalls for some seconds only delays
// the apply.
func TestAccFaultStall(t *testing.T) {
	tier.Nightly(t)
	parallelInCI(t)
	const files = 200
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	line := nettest.Start(t, server.Addr(), slowLine)
	w, dir := newWorkdir(t), resourcetest.TempDir(t)
	w.Write("main.tf", webAt(t, server, key, line.Addr(), `keep_alive = "1s"`, "keep_alive_count = 20")+webFiles(dir, files))
	w.Env = []string{"TF_VAR_v=1"}
	r := runDisturbed(t, w, func() bool { return webProgress(dir, files, 1) > files/5 }, func() {
		line.Stall()
		time.Sleep(4 * time.Second)
		line.Resume()
	}, "apply", "-auto-approve", "-no-color")
	if n := line.Connections(); r.Code != 0 || n != 2 { // apply plans with one provider process and applies with another
		t.Errorf("the exit code is %d after %d connections, want 0 and 2:\n%s", r.Code, n, r.Output)
	}
	wantWebFiles(t, dir, files, 1)
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}

// TestAccFaultDeadConnection checks that a connection without traffic is detected, and that there is an
// error for each file that has not been updated. The next apply uses a new connection and succeeds, and delayed
// data of the old one changes nothing.
func TestAccFaultDeadConnection(t *testing.T) {
	tier.Nightly(t)
	parallelInCI(t)
	const files = 60
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	line := nettest.Start(t, server.Addr(), slowLine)
	w, dir := newWorkdir(t), resourcetest.TempDir(t)
	resources := webFiles(dir, files)
	w.Write("main.tf", webAt(t, server, key, line.Addr(),
		`keep_alive = "3s"`, "keep_alive_count = 1", `connect_timeout = "3s"`, "connect_retries = 0")+resources)
	w.Do(nil, "apply", "-auto-approve", "-no-color", "-var=v=1")

	var begun time.Time
	r := runDisturbed(t, w, func() bool { return webProgress(dir, files, 2) > files/4 }, func() {
		line.Stall()
		begun = time.Now()
	}, "apply", "-auto-approve", "-json", "-var=v=2")
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("the stalled connection was detected after %s, want at most 1m", took)
	}
	// It is unknown whether operations in progress succeeded.
	failed := failures(t, r, "Cannot update posix_file", "write web:"+dir+"/file-", "no answer within 3s", "that the host is up")
	if left := files - webProgress(dir, files, 2); failed < left || failed > left+10 || r.Code != 1 {
		t.Errorf("%d errors, want one for each of %d files or up to 10 more; exit code %d, want 1:\n%s", failed, left, r.Code, r.Output)
	}

	w.Write("main.tf", webAt(t, server, key, server.Addr())+resources)
	w.Env = []string{"TF_VAR_v=3"}
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	wantWebFiles(t, dir, files, 3)
	line.Resume()
	for line.Open() > 0 {
		time.Sleep(time.Millisecond)
	}
	if n := webProgress(dir, files, 3); n != files {
		t.Errorf("delayed data of the old connection changed %d files, want none", files-n)
	}
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}

// TestAccFaultMaxStartups checks that an apply to many hosts succeeds on a server that drops
// some concurrent logins.
func TestAccFaultMaxStartups(t *testing.T) {
	parallelInCI(t)
	const hosts = 12
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}, MaxStartups: "3:50:6"})
	w, dir := newWorkdir(t), resourcetest.TempDir(t)
	names := make([]string, hosts)
	for i := range names {
		names[i] = fmt.Sprintf("web%d", i)
	}
	w.Write("main.tf", resourcetest.SSHBlock(t, server, key, "", names...)+resourcetest.Expand(dir, fmt.Sprintf(`
resource "posix_file" "it" {
  count   = %d
  host    = "web${count.index %% %d}"
  path    = "DIR/file-${count.index}"
  content = "${count.index}\n"
}
`, 3*hosts, hosts)))
	w.Do(nil, "apply", "-auto-approve", "-no-color", "-parallelism=30")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color", "-parallelism=30")
	want := map[string]string{}
	for n := range 3 * hosts {
		want[fmt.Sprintf("file-%d", n)] = fmt.Sprintf("-rw-r--r-- %d\n", n)
	}
	resourcetest.Must(t, resourcetest.OnDisk(dir, want))
	if n := server.Count("Accepted publickey"); n != 3*hosts { // two plans and an apply on each host
		t.Errorf("%d logins, want %d", n, 3*hosts)
	}
	if server.Count("MaxStartups throttling") == 0 {
		t.Errorf("the server dropped no connection, so nothing was tested:\n%s", server.Log())
	}
}
