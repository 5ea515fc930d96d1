package readme_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/walkthrough"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// TestShown checks that the README shows main.tf, and the source of the provider that main.tf needs.
func TestShown(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	config, err := os.ReadFile("main.tf")
	must(t, err)
	if _, rest, _ := strings.Cut(string(readme), "```hcl\n"); !strings.HasPrefix(rest, string(config)+"```\n") {
		t.Error("the first configuration in README.md is not examples/readme/main.tf")
	}
	if source := fmt.Sprintf("posix = { source = %q }", acctest.Namespace+"/posix"); !strings.Contains(string(readme), source) {
		t.Errorf("README.md has no %s", source)
	}
}

// hostSetup creates the user admin, the files that OpenRC needs, and an empty file for nginx's default
// site. Test roots have OpenRC instead of systemd. Unless the file of the site exists, Debian's nginx
// enables the site on port 80, which may be in use.
const hostSetup = `useradd -m admin
mkdir /home/admin/.ssh
cp /root/.ssh/authorized_keys /home/admin/.ssh/
chown -R admin: /home/admin/.ssh
usermod -p '*' admin
echo 'admin ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/admin
mkdir -p /run/openrc /etc/nginx/sites-enabled
touch /run/openrc/softlevel /etc/nginx/sites-enabled/default`

// TestApply applies, repairs, changes and destroys main.tf on a host over SSH, with the address
// and the port replaced.
func TestApply(t *testing.T) {
	t.Parallel()
	root := roottest.Start(t, roottest.Options{Packages: []string{"openrc", "procps", "sudo"}})
	root.Run(t, "sh", "-ec", hostSetup)
	h := root.Host(t)
	port := freePort(t)

	config, err := os.ReadFile("main.tf")
	must(t, err)
	text := string(config)
	for old, replacement := range map[string]string{
		`address = "web1.example.com",`: fmt.Sprintf("address = %q, port = %d, private_key_path = %q, host_key = [%q],",
			h.Address, h.Port, h.KeyFile, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(h.HostKey)))),
		"port = 8080": fmt.Sprintf("port = %d", port),
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("main.tf does not have %q exactly once", old)
		}
		text = strings.Replace(text, old, replacement, 1)
	}
	w := acctest.NewServedWorkdir(t, "posix", func() (provider.Interface, error) { return resources.New("test") })
	template, err := os.ReadFile("site.conf.tftpl")
	must(t, err)
	w.Write("main.tf", text)
	w.Write("site.conf.tftpl", string(template))

	apply := func(want, page string) {
		t.Helper()
		walkthrough.Prints(want)(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output)
		w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
		if body := get(t, port); body != page {
			t.Errorf("nginx returned %q, want %q", body, page)
		}
	}
	apply("3 added, 0 changed, 0 destroyed", "hello\n")
	root.Run(t, "sed", "-i", "s/hello/hacked/", "/etc/nginx/conf.d/site.conf")
	drift := w.Do([]int{2}, "plan", "-detailed-exitcode", "-no-color").Output
	walkthrough.Prints(`return 200 "hacked\n"`, "posix_file.site will be updated in-place")(t, drift)
	apply("0 added, 1 changed, 0 destroyed", "hello\n") // nginx has not loaded the edited file
	w.Write("site.conf.tftpl", strings.Replace(string(template), "hello", "welcome", 1))
	apply("0 added, 2 changed, 0 destroyed", "welcome\n")
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	if left := root.Run(t, "sh", "-c", "ls /etc/nginx/conf.d /usr/sbin/nginx 2>/dev/null; true"); strings.Contains(left, "site.conf") || strings.Contains(left, "/usr/sbin/nginx") {
		t.Errorf("destroy left %s", left)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a TCP listener
}

// get returns the page of a server. It repeats the request for up to a minute, because the
// server may be starting.
func get(t *testing.T, port int) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/", port), nil)
		must(t, err)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			body, err := io.ReadAll(resp.Body)
			must(t, err, resp.Body.Close())
			return string(body)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
