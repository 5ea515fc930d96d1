package webserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/internal/walkthrough"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// TestMain runs the tests in a test root with OpenRC. TestSystemd
// starts a test root with systemd.
func TestMain(m *testing.M) {
	roottest.Main(m, roottest.Options{Packages: []string{"openrc", "procps"}, Starts: resourcetest.Systemd})
}

// TestWalkThrough runs the commands of README.md with a free port.
func TestWalkThrough(t *testing.T) {
	roottest.Require(t)
	must(t, os.MkdirAll("/run/openrc", 0o755), os.WriteFile("/run/openrc/softlevel", nil, 0o600)) // OpenRC then treats the host as booted
	w, address := example(t, "")                                                                  // main.tf has the required providers
	serves := func(workers int) func(*testing.T, string) {
		return func(t *testing.T, _ string) {
			t.Helper()
			for page, want := range map[string]string{"": "<h1>Hello</h1>", "css/site.css": "sans-serif"} {
				if body, err := get(t.Context(), address+page); err != nil || !strings.Contains(body, want) {
					t.Errorf("page /%s is %q (error %v), want it to contain %q", page, body, err, want)
				}
			}
			count := 0
			for deadline := time.Now().Add(time.Minute); count != workers && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
				out, _ := exec.CommandContext(t.Context(), "pgrep", "-u", "web", "-c", "nginx").Output() // pgrep exits with code 1 if no process matches
				_, err := fmt.Sscan(string(out), &count)
				must(t, err)
			}
			if count != workers {
				t.Errorf("%d worker processes, want %d", count, workers)
			}
		}
	}
	walkthrough.Run(t, w, []walkthrough.Step{
		{Line: "tofu apply", Check: serves(1)},
		{Line: "tofu plan", Check: walkthrough.Prints("No changes")},
		{Line: "rm /srv/site/index.html"},
		{Line: "service nginx stop"},
		{Line: "tofu plan", Check: walkthrough.Prints("0 to add, 2 to change, 0 to destroy", "posix_tree.pages", "posix_service.nginx")},
		{Line: "tofu apply", Check: serves(1)},
		{Line: "tofu apply -var workers=2", Check: serves(2)},
		{Line: "tofu apply -var workers=-1", Fails: true, Check: func(t *testing.T, printed string) {
			t.Helper()
			walkthrough.Prints("worker_processes")(t, printed)
			serves(2)(t, printed)
		}},
		{Line: "tofu destroy -var workers=2", Check: func(t *testing.T, _ string) {
			t.Helper()
			if _, err := get(t.Context(), address); err == nil {
				t.Error("the server is still running")
			}
			for _, path := range []string{"/srv/site", "/etc/nginx/nginx.conf", "/usr/sbin/nginx"} {
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("Lstat of %s returned error %v, want %v", path, err, fs.ErrNotExist)
				}
			}
		}},
	})
}

// example returns a working directory with the files of the example and with providers as
// providers.tf, and the address of the web server, which uses a free port.
func example(t *testing.T, providers string) (*acctest.Workdir, string) {
	t.Helper()
	w := acctest.NewServedWorkdir(t, "posix", func() (provider.Interface, error) { return resources.New("test") })
	config, err := os.ReadFile("main.tf")
	must(t, err, os.CopyFS(w.Dir+"/site", os.DirFS("site")))
	w.Write("main.tf", string(config))
	w.Write("providers.tf", providers)
	port := freePort(t)
	w.Env = append(w.Env, fmt.Sprintf("TF_VAR_port=%d", port))
	return w, fmt.Sprintf("http://127.0.0.1:%d/", port)
}

// TestSystemd applies, repairs, changes and destroys the example over SSH on a host with a running
// systemd. It reboots the host before the change.
func TestSystemd(t *testing.T) {
	tier.Nightly(t) // slow: the example installs packages, as it does in TestWalkThrough
	roottest.Require(t)
	b := resourcetest.Boot(t)
	b.Root.Run(t, "sh", "-c", "printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d") // otherwise, nginx would start when it is installed, and listen on port 80 of all addresses
	at := b.Root.Host(t)
	w, address := example(t, fmt.Sprintf("provider \"posix\" {\n  ssh_config = \"none\"\n  default_host = \"box\"\n  hosts = {\n    box = {\n      address = %q\n      port = %d\n"+
		"      user = %q\n      private_key_path = %q\n      known_hosts = [%q]\n    }\n  }\n}\n", at.Address, at.Port, at.User, at.KeyFile, strings.TrimSpace(at.KnownHosts)))
	serves := func(after string) {
		t.Helper()
		if body, err := get(t.Context(), address); err != nil || !strings.Contains(body, "<h1>Hello</h1>") {
			t.Errorf("%s: the page is %q, error %v, want the heading Hello", after, body, err)
		}
		w.Do([]int{0}, "plan", "-detailed-exitcode")
	}
	w.Do(nil, "apply", "-auto-approve")
	serves("apply")
	b.Root.Run(t, "sh", "-c", "rm /srv/site/index.html; systemctl stop nginx; systemctl disable nginx")
	w.Do([]int{2}, "plan", "-detailed-exitcode")
	w.Do(nil, "apply", "-auto-approve")
	serves("repair")
	b.Reboot(t)
	serves("reboot")
	process := b.Root.Run(t, "systemctl", "show", "--property=MainPID", "nginx")
	w.Do(nil, "apply", "-auto-approve", "-var=workers=2")
	if got := b.Root.Run(t, "systemctl", "show", "--property=MainPID", "nginx"); got != process {
		t.Errorf("the main process of nginx is %s, want %s: nginx was restarted, not reloaded", got, process)
	}
	w.Do(nil, "destroy", "-auto-approve")
	if got := b.Root.Run(t, "sh", "-c", "systemctl is-active nginx; ls -d /srv/site /usr/sbin/nginx 2>/dev/null || :"); got != "inactive" {
		t.Errorf("after destroy, systemctl and ls printed %q, want \"inactive\"", got)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a TCP listener
}

// get returns the page at an address. It tries up to 50 times until it gets a response,
// because the service may be starting.
func get(ctx context.Context, address string) (string, error) {
	var last error
	for range 50 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return "", err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err
			time.Sleep(20 * time.Millisecond)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		return string(body), errors.Join(err, resp.Body.Close())
	}
	return "", last
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
