package packages_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/packages"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestMain runs all tests in a root file system of their own with apt, dnf and pacman, except in the
// fast tier. The tests create the repositories, and download no packages. dnf and pacman have databases
// of their own there, and their packages only have files in /opt.
func TestMain(m *testing.M) {
	roottest.Main(m, roottest.Options{Packages: []string{
		"createrepo-c", "dnf", "dnf-plugins-core", "gpg", "gpg-agent", "libarchive-tools", "makepkg", "pacman-package-manager", "rpm", "zstd",
	}})
}

var types = runtime.Definition{
	Resources:   map[string]runtime.ResourceRegistration{"package": packages.Resource(), "package_repository": packages.RepositoryResource()},
	DataSources: map[string]runtime.DataSourceRegistration{"packages": packages.DataSource()},
	Lists:       map[string]runtime.ListRegistration{"package": packages.Lister()},
}

// shell runs a script in the root, with args as positional parameters, and returns its trimmed output.
func shell(script string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", append([]string{"-ec", script, "sh"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out)), err
}

// do returns a function that runs a script.
func do(script string, args ...string) func() error {
	return func() error { _, err := shell(script, args...); return err }
}

func mustShell(tb testing.TB, script string, args ...string) string {
	tb.Helper()
	out, err := shell(script, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// deb is a package in a repository of apt.
type deb struct {
	name, version string
	fields        string // further lines of its control file
	postinst      string
	conffile      string
}

// debs are packages of aptRepo, among them those of the examples.
var debs = []deb{
	{name: "nginx", version: "1.24.0-1"},
	{name: "nginx", version: "1.24.0-2"},
	{name: "nginx", version: "1.26.0-1"},
	{name: "postgresql", version: "15+248"},
	{name: "curl", version: "8.0-1"},
	{name: "app", version: "1.0", fields: "Depends: curl\n"},
	{name: "rival", version: "1.0", fields: "Conflicts: curl\n"},
	{name: "prov", version: "1.0", fields: "Provides: virt\n"},
	{name: "broken", version: "1.0", postinst: "#!/bin/sh\n[ ! -e /run/broken ] || { echo it is broken >&2; exit 1; }\n"},
	{name: "slow", version: "1.0", postinst: "#!/bin/sh\n>/run/slow-started\nwhile [ -e /run/slow ]; do sleep 0.1; done\n"},
	{name: "server", version: "1.0", fields: "Recommends: server-mod\n"},
	{name: "server-mod", version: "1.0", fields: "Depends: server\n"},
	{name: "cf-1", version: "1.0"},
	{name: "cf-1", version: "1.1"},
	{name: "cf-2", version: "1.0"},
	{name: "cf-2", version: "1.1"},
	{name: "config", version: "1.0", conffile: "/etc/config.conf"},
	{name: "config", version: "2.0", conffile: "/etc/config.conf"},
}

// bulk is the number of further packages of aptRepo: bulk-1, bulk-2 and so on.
const bulk = 50

const aptRepo = "/srv/apt"

// useApt creates aptRepo, once, and makes it the only repository of apt.
func useApt(tb testing.TB) {
	tb.Helper()
	if err := aptOnce(); err != nil {
		tb.Fatal(err)
	}
}

var aptOnce = sync.OnceValue(func() error {
	all := debs
	for i := range bulk {
		all = append(all, deb{name: fmt.Sprintf("bulk-%d", i+1), version: "1.0"})
	}
	if err := makeApt(aptRepo, all); err != nil {
		return err
	}
	_, err := shell(`rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
echo "deb [trusted=yes] file:$1 ./" > /etc/apt/sources.list
apt-get -q update`, aptRepo)
	return err
})

// makeApt creates a flat repository of packages in dir.
func makeApt(dir string, all []deb) error {
	var index strings.Builder
	for _, d := range all {
		tree := filepath.Join(dir, "tree")
		control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: for tests\n%s", d.name, d.version, d.fields)
		files := map[string]string{"DEBIAN/control": control, "opt/deb/" + d.name + "/version": d.version + "\n"}
		if d.postinst != "" {
			files["DEBIAN/postinst"] = d.postinst
		}
		if d.conffile != "" {
			files["DEBIAN/conffiles"] = d.conffile + "\n"
			files[d.conffile[1:]] = "of version " + d.version + "\n"
		}
		if err := os.RemoveAll(tree); err != nil {
			return err
		}
		for name, text := range files {
			path := filepath.Join(tree, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			mode := os.FileMode(0o644)
			if strings.HasSuffix(name, "postinst") {
				mode = 0o755
			}
			if err := os.WriteFile(path, []byte(text), mode); err != nil {
				return err
			}
		}
		file := fmt.Sprintf("%s_%s_all.deb", d.name, d.version)
		if _, err := shell(`dpkg-deb --root-owner-group -Znone --build "$1" "$2" >/dev/null`, tree, filepath.Join(dir, file)); err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		fmt.Fprintf(&index, "%sFilename: ./%s\nSize: %d\nSHA256: %x\n\n", control, file, len(content), sha256.Sum256(content))
	}
	return os.WriteFile(filepath.Join(dir, "Packages"), []byte(index.String()), 0o644)
}

// dnfRepo creates packages and a repository for dnf, once.
var dnfRepo = sync.OnceValue(func() error {
	_, err := shell(`mkdir -p /srv/rpm /srv/rpmb /etc/yum.repos.d; cd /srv/rpmb
sed -i 's/enabled.*/enabled = 0/' /etc/dnf/plugins/local.conf
echo 1 > /etc/dnf/vars/releasever
mk() { cat > "$1.spec" <<X
Name: $1
Version: $2
Release: 1
Summary: for tests
License: MIT
BuildArch: noarch
AutoReqProv: no
$3
%description
for tests
%install
mkdir -p %{buildroot}/opt/rpm/$1
echo $2 > %{buildroot}/opt/rpm/$1/version
%files
/opt/rpm/$1/version
$4
X
rpmbuild -bb --define "_topdir /srv/rpmb" --define "_rpmdir $dir" "$1.spec" >/srv/rpmb/log 2>&1 || { cat /srv/rpmb/log; exit 1; }; }
dir=/srv/rpm
mk nginx 1.24.0; mk nginx 1.24.9; mk nginx 1.24.10; mk nginx 1.26.0
mk curl 8.0
mk app 1.0 "Requires: curl"
mk rival 1.0 "Conflicts: curl"
mk prov 1.0 "Provides: virt"
for version in 1.0 2.0; do mk slow $version "" '%post -p <lua>
while posix.access("/run/slow-rpm") do
	io.open("/run/slow-rpm-started", "w"):close()
	posix.sleep(1)
end'; done
createrepo_c -q /srv/rpm
printf '[shop]\nname=shop\nbaseurl=file:///srv/rpm\ngpgcheck=0\n' > /etc/yum.repos.d/shop.repo`)
	return err
})

// pacmanRepo creates packages and a repository for pacman, once.
var pacmanRepo = sync.OnceValue(func() error {
	_, err := shell(`mkdir -p /srv/pac /tmp/pb; cd /tmp/pb
[ -e /etc/mtab ] || ln -s /proc/self/mounts /etc/mtab
mk() { rm -rf w; mkdir -p "w/opt/pac/$1"; echo "$2" > "w/opt/pac/$1/version"
cat > w/.PKGINFO <<X
pkgname = $1
pkgbase = $1
pkgver = $2
pkgdesc = for tests
url = http://localhost
builddate = 1
packager = nobody
size = 1
arch = any
$3
X
(cd w; bsdtar -cf - .PKGINFO opt | zstd -q > "/srv/pac/$1-$2-any.pkg.tar.zst"); }
mk nginx 1.24.0-1; mk nginx 1.26.0-1
mk curl 8.0-1
mk app 1.0-1 "depend = curl"
mk rival 1.0-1 "conflict = curl"
mk prov 1.0-1 "provides = virt"
cd /srv/pac; repo-add -q shop.db.tar.gz nginx-1.26*.zst curl-*.zst app-*.zst rival-*.zst prov-*.zst
printf '\n[shop]\nSigLevel = Never\nServer = file:///srv/pac\n' >> /etc/pacman.conf
pacman -Sy --noconfirm`)
	return err
})

func useDnf(tb testing.TB) {
	tb.Helper()
	if err := dnfRepo(); err != nil {
		tb.Fatal(err)
	}
}

func usePacman(tb testing.TB) {
	tb.Helper()
	if err := pacmanRepo(); err != nil {
		tb.Fatal(err)
	}
}
