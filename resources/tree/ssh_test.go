package tree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestOverSSH runs the lifecycle on a host over SSH. It checks that a plan and an apply of many
// files open at most 40 sessions, and that drift is repaired.
func TestOverSSH(t *testing.T) {
	t.Parallel()
	sshdtest.RequireUsers(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{{Name: "root", Keys: []ssh.PublicKey{key.PublicKey()}}}})
	_, hostKey, _ := strings.Cut(strings.TrimSpace(server.KnownHosts()), " ")
	config := func(w *fixture, more ...string) string {
		return fmt.Sprintf("provider \"posix\" {\n  ssh_config = \"none\"\n  hosts = {\n    web = {\n      address = %q\n      port = %d\n      user = \"root\"\n"+
			"      private_key_path = %q\n      host_key = [%q]\n    }\n  }\n}\n", server.Host(), server.Port(), key.File(t, ""), hostKey) + w.config(append(more, `host = "web"`)...)
	}
	w := newFixture(t)
	many := site.with(files{})
	for i := range 1500 {
		many[fmt.Sprintf("many/%d/%d", i%7, i)] = fmt.Sprint(i)
	}
	many.write(t, w.source)
	sessions := 0
	run(t,
		resource.TestStep{Config: config(w), Check: resource.TestCheckResourceAttr("posix_tree.it", "files", "1508")},
		resource.TestStep{
			PreConfig: func() {
				sessions = server.Sessions()
				resourcetest.Must(t, os.Chmod(w.root+"/many/3/3", 0o600), os.WriteFile(w.root+"/many/0/0", []byte("x"), 0o644), os.Remove(w.root+"/many/1/1"))
			},
			Config: config(w, "purge = true"), ConfigPlanChecks: plan(changes("~ many/0/0 (content)", "+ many/1/1", "~ many/3/3 (mode 0600 -> 0644)")),
		},
		resource.TestStep{
			PreConfig: func() {
				// A plan and an apply have one connection each, with sessions for
				// reading, writing, the shell and SFTP.
				if n := server.Sessions() - sessions; n > 40 {
					t.Errorf("a repair opens %d sessions, want at most 40", n)
				}
				resourcetest.Must(t, os.WriteFile(w.root+"/theirs", nil, 0o644))
			},
			Config: config(w, "purge = true"), ConfigPlanChecks: plan(changes("- theirs")),
		},
	)
	if left := found(t, filepath.Dir(w.root)); len(left) != 1 {
		t.Errorf("objects after destroy: %v, want 1", left)
	}
}
