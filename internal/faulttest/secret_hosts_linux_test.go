package faulttest_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// secretHosts has hosts over SSH with different secrets in each place, and searches for
// them in everything that its runs leave behind.
type secretHosts struct {
	t       *testing.T
	secrets map[string]string // by name
	needles *needles          // nil until all secrets are created
	stored  []string
	servers []*sshdtest.Server
	homes   map[string]string // by the name of the host
	hosts   string            // the hosts in the provider's configuration
	*acctest.Workdir
	printed map[string]string
}

// secretHostsConfig has the users and their authentication. Secrets of the last two are
// in the environment.
const secretHostsConfig = `
    written = { address = "127.0.0.1", port = %[1]d, user = "written", private_key = var.secret["private_key"], passphrase = var.secret["passphrase"], sudo = { password = var.secret["sudo.password"] } }
    typed   = { address = "127.0.0.1", port = %[1]d, user = "typed", password = var.secret["password"] }
    hidden  = { address = "127.0.0.1", port = %[1]d, user = "hidden", sudo = {} }
    asked   = { address = "127.0.0.1", port = %[2]d, user = "asked" }
`

func newSecretHosts(t *testing.T) *secretHosts {
	t.Helper()
	acctest.NeedsCLI(t)
	sshdtest.RequireUsers(t)
	h := &secretHosts{t: t, secrets: map[string]string{}, homes: map[string]string{}, Workdir: newWorkdir(t), printed: map[string]string{}}
	written, hidden := h.plantKey("private_key", "passphrase"), h.plantKey("POSIX_HOST_HIDDEN_PRIVATE_KEY", "POSIX_HOST_HIDDEN_PASSPHRASE")
	first := sshdtest.Start(t, sshdtest.Config{Passwords: true, Users: []sshdtest.User{
		{Name: "written", Keys: []ssh.PublicKey{written}, Password: h.plant("sudo.password"), Sudo: sshdtest.SudoPassword},
		{Name: "hidden", Keys: []ssh.PublicKey{hidden}, Password: h.plant("POSIX_HOST_HIDDEN_SUDO_PASSWORD"), Sudo: sshdtest.SudoPassword},
		{Name: "typed", Password: h.plant("password")},
	}})
	second := sshdtest.Start(t, sshdtest.Config{Interactive: true, Users: []sshdtest.User{{Name: "asked", Password: h.plant("POSIX_HOST_ASKED_PASSWORD")}}})
	h.servers = []*sshdtest.Server{first, second}
	for _, name := range []string{"written", "hidden", "typed"} {
		h.homes[name] = first.Home(name)
	}
	h.homes["asked"] = second.Home("asked")
	h.hosts = fmt.Sprintf(secretHostsConfig, first.Port(), second.Port())
	return h
}

// plant creates a secret that contains characters that escaping changes, and parts that
// escaping does not change.
func (h *secretHosts) plant(name string) string {
	secret := secretMark + rand.Text()
	for _, odd := range `"'<&%$\ ` {
		secret += string(odd) + rand.Text()[:6]
	}
	h.secrets[name] = secret
	return secret
}

func (h *secretHosts) plantKey(name, passphrase string) ssh.PublicKey {
	h.t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	resourcetest.Must(h.t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(h.plant(passphrase)))
	resourcetest.Must(h.t, err)
	h.secrets[name] = string(pem.EncodeToMemory(block))
	h.secrets["seed of "+name] = string(private.Seed())
	key, err := ssh.NewPublicKey(public)
	resourcetest.Must(h.t, err)
	return key
}

// begin enables all logs and passes the secrets to the engine: as environment variables if
// their names begin with POSIX_, otherwise as values of an input variable. Stored secrets are
// in a variable of their own. Seeds are not passed.
func (h *secretHosts) begin(stored ...string) {
	h.t.Helper()
	looked, values := map[string]string{}, map[bool]map[string]string{false: {}, true: {}}
	for name, secret := range h.secrets {
		switch {
		case strings.HasPrefix(name, "POSIX_"):
			h.Env = append(h.Env, name+"="+secret)
		case !strings.HasPrefix(name, "seed of "):
			values[slices.Contains(stored, name)][name] = secret
		}
		looked[name] = secret
		if block, _ := pem.Decode([]byte(secret)); block != nil { // search for the end of a key: all keys begin alike
			lines := strings.SplitAfter(secret, "\n")
			looked[name] = strings.Join(lines[len(lines)-5:len(lines)-2], "")
		}
	}
	h.needles, h.stored = newNeedles(looked), stored
	secret, err := json.Marshal(values[false])
	resourcetest.Must(h.t, err)
	known, err := json.Marshal(values[true])
	resourcetest.Must(h.t, err)
	h.Env = append(h.Env, "TF_VAR_secret="+string(secret), "TF_VAR_stored="+string(known), "TF_LOG=TRACE", "TF_LOG_CORE=TRACE", "TF_LOG_PROVIDER=TRACE",
		"TF_LOG_PATH="+filepath.Join(h.Dir, "log"))
}

// configure writes a configuration with h.hosts, the given hosts and text.
func (h *secretHosts) configure(hosts, text string) {
	h.t.Helper()
	homes, err := json.Marshal(h.homes)
	resourcetest.Must(h.t, err)
	var known []string
	for _, s := range h.servers {
		known = append(known, fmt.Sprintf("%q", s.KnownHosts()))
	}
	h.Write("main.tf", `
variable "secret" {
  type      = map(string)
  ephemeral = true
}
variable "stored" {
  type      = map(string)
  sensitive = true
}
locals {
  homes = `+string(homes)+`
}
provider "posix" {
  ssh_config  = "none"
  known_hosts = [`+strings.Join(known, ", ")+`]
  hosts = {`+h.hosts+hosts+`  }
}
`+text)
}

// record runs a command and keeps its output.
func (h *secretHosts) record(codes []int, args ...string) string {
	h.t.Helper()
	h.printed[fmt.Sprintf("%d: %s", len(h.printed), strings.Join(args, " "))] = h.Do(codes, args...).Output
	return h.printed[fmt.Sprintf("%d: %s", len(h.printed)-1, strings.Join(args, " "))]
}

// evaluate evaluates an expression in the console and keeps the output.
func (h *secretHosts) evaluate(expression string) {
	h.t.Helper()
	cmd := h.Command(h.t.Context(), "console", "-no-color")
	cmd.Stdin = strings.NewReader(expression + "\n")
	out, _ := cmd.CombinedOutput() // some expressions are invalid
	h.printed["console: "+expression] = string(out)
}

// watchProcesses searches all command lines for secrets until it is stopped. When it finds the
// marker, it creates a file that a command can wait for.
func (h *secretHosts) watchProcesses(marker, seen string) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			names, err := filepath.Glob("/proc/[0-9]*/cmdline")
			if err != nil {
				h.t.Error(err)
			}
			for _, name := range names {
				line, _ := os.ReadFile(name) // the process may have ended
				if bytes.Contains(line, []byte(marker)) {
					if err := resourcetest.Put(seen, "", 0o644); err != nil {
						h.t.Error(err)
					}
				}
				h.needles.mustNotBeIn(h.t, name, line)
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
		if _, err := os.Stat(seen); err != nil {
			h.t.Errorf("no command line of a process had the marker %q", marker)
		}
	}
}

// mustBeSafe searches for secrets in everything that the runs left behind. The JSON output named state
// must have exactly the secrets in places, by place. Other JSON outputs and state files may have those in
// places and in also, and the variable stored. All other outputs, logs and plan files may have those in shown;
// entries about drift may also have those in also, and plan files those in h.stored.
func (h *secretHosts) mustBeSafe(state string, places, also map[string]string, shown ...string) {
	h.t.Helper()
	for i, s := range h.servers {
		h.printed[fmt.Sprintf("the log of server %d", i)] = s.Log()
	}
	for name, text := range traces(h.t, h.Workdir, h.printed) {
		switch {
		case name == "log":
			text, drift := withoutDrift(text)
			h.needles.mustNotBeIn(h.t, name, text, shown...)
			h.needles.mustNotBeIn(h.t, "the engine's log entries about drift", drift, append(shown, slices.Collect(maps.Values(also))...)...)
		case strings.HasSuffix(name, ":tfplan"): // a saved plan includes the variable stored
			h.needles.mustNotBeIn(h.t, name, text, append(shown, h.stored...)...)
		case strings.HasSuffix(name, "show -json") || strings.Contains(name, "show -json ") || strings.Contains(name, "tfstate"):
			got, want := h.needles.places(h.t, text), places
			if name != state {
				maps.DeleteFunc(got, func(at, names string) bool {
					return slices.Contains([]string{places[at], also[at]}, names) || strings.HasPrefix(at, "variables.stored.")
				})
				want = map[string]string{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				h.t.Errorf("secrets in %s by place (-want +got):\n%s", name, diff)
			}
		default:
			h.needles.mustNotBeIn(h.t, name, text, shown...)
		}
	}
	for _, s := range h.servers {
		resourcetest.Must(h.t, filepath.WalkDir(s.Dir(), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			info, err := entry.Info()
			if err != nil || info.Mode().Perm()&0o077 == 0 {
				return err
			}
			content, err := os.ReadFile(path)
			h.needles.mustNotBeIn(h.t, fmt.Sprintf("%s with mode %v", path, info.Mode()), content)
			return err
		}))
	}
}

// withoutDrift separates a log from the engine's own warnings about drift, because these
// contain attributes that the schema does not mark as sensitive.
func withoutDrift(log []byte) (rest, drift []byte) {
	begins := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT`)
	var from int
	for _, at := range append(begins.FindAllIndex(log, -1), []int{len(log)}) {
		if entry := log[from:at[0]]; bytes.Contains(entry, []byte("produced an unexpected new value for posix_file.content[")) {
			drift = append(drift, entry...)
		} else {
			rest = append(rest, entry...)
		}
		from = at[0]
	}
	return rest, drift
}
