package faulttest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// parallelInCI makes a test parallel, and skips it in the fast tier.
func parallelInCI(t *testing.T) {
	t.Helper()
	t.Parallel()
	tier.CI(t)
}

// webFiles returns the configuration of files on host web. The variable v is the version of their content.
// The versions differ in each line and in length, so that a mixture of two is not a version.
func webFiles(dir string, count int) string {
	return fmt.Sprintf(`
variable "v" {
  type = number
}
resource "posix_file" "it" {
  count   = %d
  host    = "web"
  path    = "%s/file-${count.index}"
  content = join("", [for n in range(10 * var.v) : "v${var.v} of ${count.index}\n"])
}
`, count, dir)
}

// webFile returns version v of the content of file n.
func webFile(v, n int) string { return strings.Repeat(fmt.Sprintf("v%d of %d\n", v, n), 10*v) }

// wantWebFiles checks that the directory has exactly the files of [webFiles], with version v of their content.
func wantWebFiles(t *testing.T, dir string, count, v int) {
	t.Helper()
	want := map[string]string{}
	for n := range count {
		want[fmt.Sprintf("file-%d", n)] = "-rw-r--r-- " + webFile(v, n)
	}
	if err := resourcetest.OnDisk(dir, want); err != nil {
		t.Error(err)
	}
}

// wantAll checks that a command ended with exit code 1 and count errors, and that each
// error contains the texts.
func wantAll(t *testing.T, r acctest.Result, count int, texts ...string) {
	t.Helper()
	if failed := failures(t, r, texts...); failed != count || r.Code != 1 {
		t.Errorf("%d errors and exit code %d, want %d and 1:\n%s", failed, r.Code, count, r.Output)
	}
}

// failures returns the number of errors of a command and checks that each contains the
// texts.
func failures(t *testing.T, r acctest.Result, texts ...string) int {
	t.Helper()
	failed := 0
	for _, m := range r.Messages(t) {
		if m.Diagnostic.Severity != "error" {
			continue
		}
		failed++
		text := resourcetest.OneLine(m.Diagnostic.Summary + ": " + m.Diagnostic.Detail + " (" + m.Diagnostic.Address + ")")
		if w := (resourcetest.Problem{Texts: texts}).Missing(text); w != "" {
			t.Errorf("an error lacks %q: %s", w, text)
		}
	}
	return failed
}

// TestAccFaultHostKey checks that apply and destroy do not log in to a host whose host
// key differs from the known one, for several sources of the known key. Each error explains
// how to verify the key.
func TestAccFaultHostKey(t *testing.T) {
	parallelInCI(t)
	const files = 3
	for name, tt := range map[string]struct {
		knows  func(server *sshdtest.Server) string // the known key in the configuration
		remedy string
	}{
		"in known_hosts": {
			func(s *sshdtest.Server) string { return fmt.Sprintf("known_hosts = [%q]", s.KnownHosts()) },
			"if they are equal, replace the known key",
		},
		"fingerprint in host_key": {
			func(s *sshdtest.Server) string {
				return fmt.Sprintf("host_key = [%q]", ssh.FingerprintSHA256(s.HostKey()))
			},
			"set host_key to the received one",
		},
		"accepted at the first connection": {
			func(s *sshdtest.Server) string {
				return fmt.Sprintf("known_hosts = [], host_key_policy = \"accept_new\", known_hosts_files = [%q]", filepath.Join(s.Dir(), "known"))
			},
			"replace the known key (to remove it: ssh-keygen -R '[127.0.0.1]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "in known_hosts" {
				tier.Nightly(t)
			}
			key, old, other := sshdtest.NewKey(t), sshdtest.NewKey(t), sshdtest.NewKey(t)
			shows := func(key sshdtest.Key) func(*sshdtest.Config) {
				return func(c *sshdtest.Config) { c.HostKeys = []sshdtest.HostKey{{Key: key}} }
			}
			server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}, HostKeys: []sshdtest.HostKey{{Key: old}}})
			w, dir := newWorkdir(t), resourcetest.TempDir(t)
			web := fmt.Sprintf("    web = { address = %q, port = %d, %s }\n", server.Host(), server.Port(), tt.knows(server))
			w.Write("main.tf", resourcetest.SSHBlock(t, server, key, web)+webFiles(dir, files))
			w.Do(nil, "apply", "-auto-approve", "-no-color", "-var=v=1")

			resourcetest.Must(t, server.Restart(shows(other)))
			resourcetest.Must(t, os.Remove(filepath.Join(dir, "file-0")))
			left, err := resourcetest.Tree(dir)
			resourcetest.Must(t, err)
			logins := server.Count("Accepted ")
			for _, args := range [][]string{
				{"apply", "-auto-approve", "-json", "-var=v=2"},
				{"destroy", "-auto-approve", "-json", "-var=v=2", "-refresh=false"},
			} {
				wantAll(t, w.Run(args...), files, "posix_file", "web", "host key verification failed", "can be an attack",
					ssh.FingerprintSHA256(old.PublicKey()), ssh.FingerprintSHA256(other.PublicKey()), "with the one on its console", tt.remedy)
			}
			resourcetest.Must(t, resourcetest.OnDisk(dir, left))
			if n := server.Count("Accepted ") - logins; n > 0 {
				t.Errorf("%d logins to a server with another host key, want none", n)
			}

			// The server has its old key again.
			resourcetest.Must(t, server.Restart(shows(old)))
			w.Do(nil, "apply", "-auto-approve", "-no-color", "-var=v=2")
			wantWebFiles(t, dir, files, 2)
		})
	}
}

// TestAccFaultWrongHostKey checks that nothing is created on a host with a wrong or
// unknown host key.
func TestAccFaultWrongHostKey(t *testing.T) {
	parallelInCI(t)
	const files = 3
	key, other := sshdtest.NewKey(t), sshdtest.NewKey(t).PublicKey()
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	now := ssh.FingerprintSHA256(server.HostKey())
	for name, tt := range map[string]struct {
		expects string
		texts   []string
	}{
		"another fingerprint": {fmt.Sprintf("host_key = [%q]", ssh.FingerprintSHA256(other)), []string{"the key differs from host_key", ssh.FingerprintSHA256(other), "set host_key to the received one"}},
		"another key":         {fmt.Sprintf("host_key = [%q]", ssh.MarshalAuthorizedKey(other)), []string{"the key differs from host_key", ssh.FingerprintSHA256(other), "set host_key to the received one"}},
		"no known key":        {"known_hosts = [], known_hosts_files = []", []string{"is not known", "add the key to known_hosts under the name [127.0.0.1]", "or set host_key to the fingerprint", "accept_new"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, dir := newWorkdir(t), resourcetest.TempDir(t)
			web := fmt.Sprintf("    web = { address = %q, port = %d, %s }\n", server.Host(), server.Port(), tt.expects)
			w.Write("main.tf", resourcetest.SSHBlock(t, server, key, web)+webFiles(dir, files))
			wantAll(t, w.Run("apply", "-auto-approve", "-json", "-var=v=1"), files, append(tt.texts, "posix_file", "host web", now)...)
			resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{}))
		})
	}
	t.Cleanup(func() {
		if n := server.Count("Accepted "); n > 0 {
			t.Errorf("%d logins, want none", n)
		}
	})
}

// TestAccFaultPassword checks that each run tries a wrong password only once, even with
// several operations, to avoid an account lockout.
func TestAccFaultPassword(t *testing.T) {
	parallelInCI(t)
	const files = 8
	for name, how := range map[string]func(*sshdtest.Config){
		"password":             func(c *sshdtest.Config) { c.Passwords = true },
		"keyboard-interactive": func(c *sshdtest.Config) { c.Interactive = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "password" {
				tier.Nightly(t)
			}
			config := sshdtest.Config{Users: []sshdtest.User{{Name: "alice", Password: "correct horse"}}}
			how(&config)
			server := sshdtest.Start(t, config)
			w, dir := newWorkdir(t), server.Home("alice")
			w.Write("main.tf", fmt.Sprintf(`
variable "password" {
  type = string
}
provider "posix" {
  hosts = {
    web = { address = %q, port = %d, user = "alice", password = var.password, known_hosts = [%q], ssh_config = "none", agent = false }
  }
}
`, server.Host(), server.Port(), server.KnownHosts())+webFiles(dir, files))
			w.Env = []string{"TF_VAR_v=1", "TF_VAR_password=battery staple"}
			refused := func(want int, args ...string) {
				t.Helper()
				r := w.Run(append(args, "-json")...)
				wantAll(t, r, files, "posix_file", fmt.Sprintf("web (alice@%s)", server.Addr()), "authentication of user alice failed: tried the password", "Check the user name and its keys or password")
				if strings.Contains(r.Output, "battery staple") {
					t.Errorf("the output has the password:\n%s", r.Output)
				}
				server.Await(t, want, "Failed ")
				if n := server.Count("Failed "); n != want {
					t.Errorf("a wrong password was tried %d times, want %d:\n%s", n, want, server.Log())
				}
			}
			refused(1, "apply", "-auto-approve")
			resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{}))

			w.Do(nil, "apply", "-auto-approve", "-no-color", "-var=password=correct horse")
			refused(2, "apply", "-auto-approve", "-var=v=2")
			refused(3, "destroy", "-auto-approve", "-refresh=false")
			wantWebFiles(t, dir, files, 1)
		})
	}
}
