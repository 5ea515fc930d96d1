package hosts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// newWorkdir returns a working directory whose provider manages hosts in memory, and these hosts.
func newWorkdir(t *testing.T) (*acctest.Workdir, *resourcetest.RemoteHosts) {
	t.Helper()
	m := new(resourcetest.RemoteHosts)
	return acctest.NewServedWorkdir(t, "posix", resourcetest.ProviderOf(types, m.Hosts(t))), m
}

// wantFiles checks that the hosts have exactly these files, in the form host:/path.
func wantFiles(t *testing.T, m *resourcetest.RemoteHosts, want ...string) {
	t.Helper()
	if got := m.Files(t); !slices.Equal(got, want) {
		t.Errorf("files: %v, want %v", got, want)
	}
}

// TestAccHostOfSameApply creates a host and objects on it, replaces the host, and destroys the host and the
// objects, with one configuration whose provider block refers to the resource of the host.
func TestAccHostOfSameApply(t *testing.T) {
	t.Parallel()
	w, fleet := newWorkdir(t)
	w.Write("main.tf", `
variable "generation" {
  default = 1
}

resource "terraform_data" "server" {
  input            = "192.0.2.30"
  triggers_replace = var.generation
}

resource "terraform_data" "secret" {
  input = "hunter2"
}

provider "posix" {
  password = terraform_data.secret.output
  hosts = {
    new    = { address = terraform_data.server.output, known_hosts = ["# ${terraform_data.server.output}"] }
    behind = { address = "10.0.0.1", proxy_jump = ["new"], sudo = { password = terraform_data.secret.output } }
  }
}

resource "posix_directory" "on" {
  for_each = toset(["new", "behind"])
  host     = each.key
  path     = "/srv/app"
  owner    = "root"
}

resource "posix_file" "on" {
  for_each = posix_directory.on
  host     = each.value.host
  path     = "${each.value.path}/file"
  content  = "x\n"
  owner    = "root"
}
`)
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	wantFiles(t, fleet, "behind:/srv/app/file", "new:/srv/app/file")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")

	// If the host is planned to be replaced, objects on it cannot be read.
	r := w.Do([]int{1}, "plan", "-no-color", "-var", "generation=2")
	for _, text := range []string{
		`new:/srv/app: the host cannot be reached yet`, `hosts["new"].address, hosts["new"].known_hosts[0]`, "-target", `behind:/srv/app: the host`,
	} {
		if !strings.Contains(resourcetest.OneLine(r.Output), text) {
			t.Errorf("want %q in:\n%s", text, r.Output)
		}
	}
	// The remedy of the message works, and so does a plan without a refresh.
	w.Do(nil, "apply", "-auto-approve", "-no-color", "-var", "generation=2", "-target", "terraform_data.server")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color", "-var", "generation=2")
	w.Do(nil, "plan", "-refresh=false", "-no-color", "-var", "generation=3")
	w.Do(nil, "destroy", "-auto-approve", "-no-color", "-var", "generation=2")
	wantFiles(t, fleet)
}

// TestAccHostsOfSameApply checks that all hosts of the provider block can be unknown.
func TestAccHostsOfSameApply(t *testing.T) {
	t.Parallel()
	w, fleet := newWorkdir(t)
	w.Write("main.tf", `
resource "terraform_data" "inventory" {
  input = { web1 = "192.0.2.1", web2 = "192.0.2.2" }
}

provider "posix" {
  hosts = { for name, address in terraform_data.inventory.output : name => { address = address } }
}

resource "posix_file" "on" {
  for_each = toset(["web1", "web2"])
  host     = each.key
  path     = "/srv/file"
  content  = "x\n"
}
`)
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	wantFiles(t, fleet, "web1:/srv/file", "web2:/srv/file")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	wantFiles(t, fleet)
}

func TestAccHostErrors(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	for name, tt := range map[string]struct {
		config string
		text   []string
	}{
		"form a cycle": {
			`hosts = { a = { proxy_jump = ["b"] }, b = { proxy_jump = ["a"] } }`, []string{"cycle: a → b → a", `in provider "posix"`},
		},
		"unknown host": {
			"hosts = { web = {} }\n}\nresource \"posix_symlink\" \"a\" {\n  host = \"wbe\"\n  path = \"/a\"\n  target = \"/b\"",
			[]string{`no host "wbe" is configured. The provider has: web, local`, `host = "wbe"`},
		},
		"two keys":     {"hosts = { web = { private_key = \"hunter2\", private_key_path = \"/x\" } }", []string{"Only one of private_key and private_key_path"}},
		"invalid name": {`hosts = { "a/b" = {} }`, []string{"host name consists of letters"}},
		"invalid key":  {`private_key = "hunter2"`, []string{"must be a private key"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newWorkdir(t)
			w.Write("main.tf", "provider \"posix\" {\n"+tt.config+"\n}\n\nresource \"posix_file\" \"x\" {\n  path    = \"/x\"\n  content = \"\"\n}\n")
			r := w.Do([]int{1}, "plan", "-no-color")
			for _, text := range tt.text {
				if !strings.Contains(resourcetest.OneLine(r.Output), text) {
					t.Errorf("want %q in:\n%s", text, r.Output)
				}
			}
		})
	}
}
