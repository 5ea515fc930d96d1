package hostinfo

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// shellHost runs scripts with a given shell and PATH, and in a German locale.
type shellHost struct {
	host.Host
	shell []string
	path  string
}

func (h shellHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	cmd.Args = append(slices.Clone(h.shell), remotecmd.Program(cmd)[1:]...)
	cmd.Env = map[string]string{"PATH": h.path, "LANG": "de_DE.UTF-8"}
	return h.Host.Run(ctx, cmd)
}

// TestShells runs the script in common shells, if they are installed, and in busybox with its own tools,
// and compares facts with those that the standard library reports.
func TestShells(t *testing.T) {
	t.Parallel()
	here, err := local.New()
	if err != nil {
		t.Skip(err)
	}
	shells := map[string]shellHost{"sh": {here, []string{"/bin/sh"}, os.Getenv("PATH")}}
	for _, name := range []string{"dash", "bash", "ksh", "mksh", "zsh", "yash"} {
		if path, err := exec.LookPath(name); err == nil {
			shells[name] = shellHost{here, []string{path}, os.Getenv("PATH")}
		}
	}
	if path, err := exec.LookPath("bash"); err == nil {
		shells["bash --posix"] = shellHost{here, []string{path, "--posix"}, os.Getenv("PATH")}
	}
	if path, err := exec.LookPath("busybox"); err == nil {
		dir := t.TempDir()
		for _, tool := range []string{"uname", "id", "cat", "nproc", "ip", "ifconfig", "mount", "getconf"} {
			if err := os.Symlink(path, filepath.Join(dir, tool)); err != nil {
				t.Fatal(err)
			}
		}
		shells["busybox"] = shellHost{here, []string{path, "sh"}, dir}
	}
	for name, h := range shells {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := runScript(t.Context(), h)
			if err != nil {
				t.Fatal(err)
			}
			compareWithGo(t, found.output())
		})
	}
}

// compareWithGo compares facts with those that the standard library reports, and checks that some other
// facts are plausible.
func compareWithGo(t *testing.T, out *Output) {
	t.Helper()
	shown := func(number *int64) any {
		if number == nil {
			return nil
		}
		return *number
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if out.Hostname != name {
		t.Errorf("hostname %q, want %q", out.Hostname, name)
	}
	if out.UserID == nil || *out.UserID != int64(os.Getuid()) || out.User == "" {
		t.Errorf("user %q with UID %v, want a name and UID %d", out.User, shown(out.UserID), os.Getuid())
	}
	if out.Processors == nil || *out.Processors < 1 || out.MemoryTotal == nil || *out.MemoryTotal < 64<<20 {
		t.Errorf("%v processors, %v bytes of memory, want at least 1 and 64 MiB", shown(out.Processors), shown(out.MemoryTotal))
	}
	if kernels := map[string]string{"linux": "Linux", "darwin": "Darwin", "freebsd": "FreeBSD"}; out.Kernel != kernels[goruntime.GOOS] {
		t.Errorf("the kernel is %q, want %q", out.Kernel, kernels[goruntime.GOOS])
	}
	if out.KernelRelease == "" || out.KernelVersion == "" || out.Architecture == "" {
		t.Errorf("kernel release %q, kernel version %q, architecture %q, want none empty", out.KernelRelease, out.KernelVersion, out.Architecture)
	}
	if goruntime.GOOS != "linux" {
		return
	}
	var want, got []string
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range interfaces {
		want = append(want, a.String())
	}
	for _, a := range out.Addresses {
		prefix := &net.IPNet{IP: net.ParseIP(a.Address), Mask: net.CIDRMask(int(*a.PrefixLength), map[string]int{"ipv4": 32, "ipv6": 128}[a.Family])}
		got = append(got, prefix.String())
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	if !slices.ContainsFunc(out.Mounts, func(m Mount) bool { return m.Path == "/" && m.Type != "" && len(m.Options) > 0 }) {
		t.Errorf("the mounts are %v, want a root file system with a type and options", out.Mounts)
	}
	if text, err := os.ReadFile("/etc/os-release"); err == nil && strings.Contains(string(text), "\nID=") && out.OSRelease["ID"] == "" {
		t.Errorf("os-release is %v, want a field ID that is not empty", out.OSRelease)
	}
}
