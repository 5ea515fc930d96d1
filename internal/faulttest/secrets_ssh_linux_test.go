package faulttest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestAccSecretsOverSSH uses secrets of all kinds. Only the expected places of states and plans, and
// log entries about drift, have sensitive values. Digests of content may also be shown. No output, state,
// plan, log or command line has ephemeral or write-only values.
func TestAccSecretsOverSSH(t *testing.T) {
	t.Parallel()
	h := newSecretHosts(t)
	stored := []string{"content", "content of base64", "sensitive_environment", "stdin", "data.sensitive_environment", "data.stdin"}
	for _, name := range append(stored, "content_wo", "environment_wo", "stdin_wo", "ephemeral.environment", "ephemeral.stdin", "sent through the tunnel") {
		h.plant(name)
	}
	kept, byHand, byHandStored := h.plant("POSIX_TEST_KEPT"), h.plant("POSIX_TEST_BY_HAND"), h.plant("by hand")
	for name, home := range h.homes {
		resourcetest.Must(t, putHome(home, "kept", kept))
		is := func(content string) []version { return []version{{content: content, mode: 0o600}} }
		w := watch(t, home, map[string][]version{
			"kept": is(kept), "content_wo": {{h.secrets["content_wo"], 0o600, ""}, {byHand, 0o600, ""}}, "content": {{h.secrets["content"], 0o600, ""}, {byHandStored, 0o600, ""}},
			"base64": is(h.secrets["content of base64"]), "token": is(h.secrets["ephemeral.environment"] + h.secrets["ephemeral.stdin"]),
		})
		w.removes = true
		t.Cleanup(func() {
			for _, bad := range w.stop() {
				if !strings.Contains(bad, ".content.backup-") || !strings.Contains(bad, "mode 0600") { // the name of the backup has a timestamp
					t.Errorf("on %s: %s", name, bad)
				}
			}
		})
	}
	h.begin(append(stored, "by hand")...)
	echoes := nettest.Serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil {
			_, _ = conn.Write([]byte(line)) // the client reports missing data
		}
	})
	marker, seen := "a marker for the search of processes", filepath.Join(h.servers[0].Dir(), "seen")
	h.configure("", fmt.Sprintf(`
ephemeral "posix_command" "token" {
  for_each    = local.homes
  host        = each.key
  command     = "sleep 0.1; printf %%s \"$GIVEN\"; cat"
  close       = "cat >/dev/null"
  environment = { GIVEN = var.secret["ephemeral.environment"] }
  stdin       = var.secret["ephemeral.stdin"]
}
ephemeral "posix_file" "kept" {
  for_each = local.homes
  host     = each.key
  path     = "${each.value}/kept"
}
ephemeral "posix_tunnel" "echo" {
  host        = "written"
  target_host = "127.0.0.1"
  target_port = %[1]d
  # Decrypting the key of the host takes seconds with the race detector.
  connect_timeout = "5m"
}
resource "posix_file" "content_wo" {
  for_each           = local.homes
  host               = each.key
  path               = "${each.value}/content_wo"
  mode               = "0600"
  content_wo         = var.secret["content_wo"]
  content_wo_version = "1"
}
resource "posix_file" "token" {
  for_each           = local.homes
  host               = each.key
  path               = "${each.value}/token"
  mode               = "0600"
  content_wo         = ephemeral.posix_command.token[each.key].stdout
  content_wo_version = "1"
}
resource "posix_file" "content" {
  for_each = local.homes
  host     = each.key
  path     = "${each.value}/content"
  mode     = "0600"
  content  = var.stored["content"]
  write_options = { backup = true }
}
resource "posix_file" "base64" {
  for_each       = local.homes
  host           = each.key
  path           = "${each.value}/base64"
  mode           = "0600"
  content_base64 = base64encode(var.stored["content of base64"])
}
resource "posix_command" "prints" {
  for_each              = local.homes
  host                  = each.key
  create                = "cat; printf %%s \"$KNOWN\" >&2; i=0; until [ -e %[2]s ] || [ $i = 300 ]; do sleep 0.1; i=$((i + 1)); done # %[3]s"
  read                  = "printf %%s \"$KNOWN\""
  delete                = "printf %%s \"$KNOWN\""
  sensitive_output      = true
  sensitive_environment = { KNOWN = var.stored["sensitive_environment"] }
  stdin                 = var.stored["stdin"]
}
resource "posix_command" "would_print" {
  for_each               = local.homes
  host                   = each.key
  create                 = "set -x; cat; sleep 0.1; printf %%s \"$A\"; printf %%s \"$KEPT\" | tee /dev/stderr"
  environment_wo         = { A = var.secret["environment_wo"], KEPT = ephemeral.posix_file.kept[each.key].content }
  environment_wo_version = "1"
  stdin_wo               = var.secret["stdin_wo"]
  stdin_wo_version       = "1"
}
data "posix_command" "looks" {
  for_each              = local.homes
  host                  = each.key
  command               = "cat; printf %%s \"$KNOWN\" >&2"
  sensitive_output      = true
  sensitive_environment = { KNOWN = var.stored["data.sensitive_environment"] }
  stdin                 = var.stored["data.stdin"]
}
resource "posix_command" "sends" {
  host                   = "local"
  interpreter            = ["bash", "-c"]
  create                 = "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf '%%s\n' \"$SENT\" >&3 && IFS= read -r back <&3 && [ \"$back\" = \"$SENT\" ]"
  environment_wo         = { PORT = ephemeral.posix_tunnel.echo.local_port, SENT = var.secret["sent through the tunnel"] }
  environment_wo_version = "1"
}
`, echoes.(*net.TCPAddr).Port, seen, marker)) //nolint:forcetypeassert // the address of a TCP listener
	stop := h.watchProcesses(marker, seen)
	h.record(nil, "plan", "-no-color", "-out=planned")
	h.record(nil, "show", "-no-color", "planned")
	h.record(nil, "show", "-json", "planned")
	h.record(nil, "apply", "-no-color", "planned")
	h.record(nil, "show", "-no-color")
	h.record(nil, "show", "-json")
	last := len(h.printed) - 1
	h.evaluate("posix_file.content")
	h.evaluate(`posix_command.prints["typed"].sensitive_environment.KNOWN`)
	h.evaluate(`tonumber(var.stored["content"])`)
	h.evaluate(`var.secret["password"].x`)

	// Content written by hand is secret, too.
	for _, home := range h.homes {
		resourcetest.Must(t, putHome(home, "content_wo", byHand), putHome(home, "content", byHandStored))
	}
	h.record(nil, "plan", "-no-color", "-refresh-only", "-out=drifted")
	h.record(nil, "apply", "-no-color", "drifted")
	h.record(nil, "show", "-json")
	resourcetest.WantTexts(t, h.record([]int{2}, "plan", "-no-color", "-detailed-exitcode", "-out=repair"), "8 to change")
	h.record(nil, "apply", "-no-color", "repair")
	h.record(nil, "plan", "-no-color", "-detailed-exitcode")
	resourcetest.Must(t, os.Rename(filepath.Join(h.Dir, "terraform.tfstate.backup"), filepath.Join(h.Dir, "terraform.tfstate.first")))
	h.record(nil, "destroy", "-auto-approve", "-no-color")
	stop()
	h.mustBeSafe(fmt.Sprintf("%d: show -json", last), map[string]string{
		"posix_file.content.content":                           "content",
		"posix_file.content.sha256":                            "content: SHA-256",
		"posix_file.base64.content_base64":                     "content of base64",
		"posix_file.base64.sha256":                             "content of base64: SHA-256",
		"posix_command.prints.sensitive_environment.KNOWN":     "sensitive_environment",
		"posix_command.prints.sensitive_stderr":                "sensitive_environment",
		"posix_command.prints.sensitive_observed":              "sensitive_environment",
		"posix_command.prints.stdin":                           "stdin",
		"posix_command.prints.sensitive_stdout":                "stdin",
		"data.posix_command.looks.sensitive_environment.KNOWN": "data.sensitive_environment",
		"data.posix_command.looks.sensitive_stderr":            "data.sensitive_environment",
		"data.posix_command.looks.stdin":                       "data.stdin",
		"data.posix_command.looks.sensitive_stdout":            "data.stdin",
	}, map[string]string{
		"posix_file.content.content":                 "by hand",
		"posix_file.content.sha256":                  "by hand: SHA-256",
		"posix_file.content.private.applied.content": "content", // until the content is applied again
		"posix_file.content.private.applied.sha256":  "content: SHA-256",
	}, "content: SHA-256", "content of base64: SHA-256", "by hand: SHA-256")
}

// putHome writes a file in one step, with the owner of the old file or of the home directory.
func putHome(home, name, content string) error {
	path, temp := filepath.Join(home, name), home+".new" // a path outside of the watched directory
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(home)
	}
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // the type on Linux
	return errors.Join(resourcetest.Put(temp, content, 0o600), os.Chown(temp, int(owner.Uid), int(owner.Gid)), os.Rename(temp, path))
}

// TestAccSecretsInFailures checks that no error contains a secret.
func TestAccSecretsInFailures(t *testing.T) {
	t.Parallel()
	small := filepath.Join(resourcetest.TempDir(t), "small")
	resourcetest.Must(t, os.Mkdir(small, 0o755))
	if err := unix.Mount("none", small, "tmpfs", 0, "size=64k,mode=1777"); err != nil {
		t.Skipf("this user cannot mount: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	h := newSecretHosts(t) // after the mount, which the servers inherit
	for _, name := range []string{
		"content_wo", "environment_wo", "stdin_wo", "ephemeral.environment", "ephemeral.stdin", "content", "not base64", "sensitive_environment", "stdin",
		"wrong password", "wrong passphrase", "wrong sudo.password", "POSIX_HOST_WRONG_ENV_PASSWORD", "no key", "no certificate", "two", "lines",
	} {
		h.plant(name)
	}
	h.begin("content", "not base64", "sensitive_environment", "stdin")
	other := sshdtest.NewKey(t).PublicKey()

	// Errors before any change.
	at := fmt.Sprintf(`address = "127.0.0.1", port = %d`, h.servers[0].Port())
	asked := fmt.Sprintf(`address = "127.0.0.1", port = %d`, h.servers[1].Port())
	key := `private_key = var.secret["private_key"], passphrase = var.secret["passphrase"]`
	h.configure(fmt.Sprintf(`
    wrong_password   = { %[1]s, user = "typed", password = var.secret["wrong password"] }
    wrong_env        = { %[2]s, user = "asked" }
    wrong_passphrase = { %[1]s, user = "written", private_key = var.secret["private_key"], passphrase = var.secret["wrong passphrase"] }
    wrong_sudo       = { %[1]s, user = "written", %[3]s, sudo = { password = var.secret["wrong sudo.password"] } }
    two_lines        = { %[1]s, user = "written", %[3]s, sudo = { password = "${var.secret["two"]}\n${var.secret["lines"]}" } }
    wrong_host       = { %[1]s, user = "typed", password = var.secret["password"], host_key = [%[4]q] }
`, at, asked, key, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(other)))), `
resource "posix_file" "refused" {
  for_each           = toset(["wrong_password", "wrong_env", "wrong_passphrase", "wrong_sudo", "two_lines", "wrong_host"])
  host               = each.key
  path               = "/never"
  content_wo         = var.secret["content_wo"]
  content_wo_version = "1"
}
`)
	resourcetest.WantTexts(t, h.record([]int{1}, "plan", "-no-color"), "authentication of user typed failed", "authentication of user asked failed", "wrong passphrase", "host key")
	resourcetest.WantTexts(t, h.record([]int{1}, "apply", "-auto-approve", "-no-color", `-target=posix_file.refused["wrong_sudo"]`, `-target=posix_file.refused["two_lines"]`),
		"sudo rejected the password", "contains a newline")
	h.configure("", `
data "posix_command" "fails" {
  host                  = "typed"
  command               = "set -x; cat >&2; printf %s \"$KNOWN\" >&2; exit 3"
  sensitive_environment = { KNOWN = var.stored["sensitive_environment"] }
  stdin                 = var.stored["stdin"]
}
ephemeral "posix_command" "fails" {
  host        = "written"
  command     = "set -x; cat >&2; printf 'a:%s' \"$GIVEN\" | base64 -w 0 >&2; exit 4"
  environment = { GIVEN = var.secret["ephemeral.environment"] }
  stdin       = var.secret["ephemeral.stdin"]
}
resource "posix_file" "encoded" {
  host           = "typed"
  path           = "${local.homes.typed}/encoded"
  content_base64 = var.stored["not base64"]
}
`)
	resourcetest.WantTexts(t, h.record([]int{1}, "plan", "-no-color"), "exit code 3", "exit code 4", "not base64")
	h.configure(fmt.Sprintf(`
    no_key         = { %[1]s, user = "written", private_key = var.secret["no key"] }
    no_certificate = { %[1]s, user = "written", %[2]s, certificate = var.secret["no certificate"] }
`, at, key), `resource "posix_directory" "x" {
  path = "/never"
  host = "no_key"
}
`)
	resourcetest.WantTexts(t, h.record([]int{1}, "plan", "-no-color"), "must be a private key")

	// Errors during the apply.
	h.configure("", fmt.Sprintf(`
locals {
  tells = <<-EOT
    cat >&2
    printf '%%s\n' "$A" "$KNOWN" >&2 # echo may change what it prints
    printf 'user:%%s' "$A" | base64 -w 0 >&2
    printf '{"a":"%%s"}\n' "$KNOWN" | sed 's/["\\]/\\&/g; s/</\\u003c/g; s/&/\\u0026/g' >&2
    printf '%%s' "$KNOWN" | od -An -v -tx1 | tr -d ' \n' >&2
    set -x
    : "$A" "$KNOWN"
  EOT
}
resource "posix_command" "fails" {
  for_each               = { typed = "exit 1", written = "kill -TERM $$", hidden = "sleep 60", asked = "exit 0" }
  host                   = each.key
  create                 = "${local.tells}\n${each.value}"
  delete                 = "${local.tells}\nexit 5" # runs without the write-only values
  timeout                = each.key == "hidden" ? "10s" : "5m"
  environment_wo         = { A = var.secret["environment_wo"] }
  environment_wo_version = "1"
  sensitive_environment  = { KNOWN = var.stored["sensitive_environment"] }
  stdin_wo               = var.secret["stdin_wo"]
  stdin_wo_version       = "1"
}
resource "posix_file" "refused" {
  for_each           = local.homes
  host               = each.key
  path               = "${each.value}/refused"
  content_wo         = var.secret["content_wo"]
  content_wo_version = "1"
  write_options = { validate = ["sh", "-c", "cat \"$1\" \"$1\" >&2; exit 7", "sh", "%%s"] }
}
resource "posix_file" "judged" {
  host            = "typed"
  path            = "${local.homes.typed}/judged"
  content         = var.stored["content"]
  write_options = {
    validate        = ["sh", "-c", "cat \"$1\"; exit 8", "sh", "%%s"]
    validate_output = false
  }
}
resource "posix_file" "full" {
  for_each           = local.homes
  host               = each.key
  path               = "%[1]s/full-${each.key}"
  content_wo         = join("", [for n in range(1000) : var.secret["content_wo"]])
  content_wo_version = "1"
}
resource "posix_file" "denied" {
  host    = "typed"
  path    = "%[2]s/denied"
  content = var.stored["content"]
}
`, small, h.servers[0].Dir()))
	resourcetest.WantTexts(t, h.record([]int{1}, "apply", "-auto-approve", "-no-color"),
		"exit code 1", "signal TERM", "within 10s", "exit code 7", "exit code 8", "no space left on device", "permission denied")
	state := fmt.Sprintf("%d: show -json", len(h.printed))
	h.record(nil, "show", "-json")
	resourcetest.WantTexts(t, h.record([]int{1}, "destroy", "-auto-approve", "-no-color"), "exit code 5")
	h.mustBeSafe(state, map[string]string{"posix_command.fails.sensitive_environment.KNOWN": "sensitive_environment"}, nil, "content: SHA-256")
}
