package faulttest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// slowPackages makes slow-1 and slow-2 the only packages that apt can install. Their scripts add a line to
// /run/slow, wait until /run/NAME exists, and print a line, which fails if no process can read the line.
const slowPackages = `mkdir -p /srv/apt/tree/DEBIAN
cd /srv/apt
for name in slow-1 slow-2; do
	cat >tree/DEBIAN/control <<X
Package: $name
Version: 1.0
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: for tests
X
	cat >tree/DEBIAN/postinst <<X
#!/bin/sh -e
echo $name >>/run/slow
until [ -e /run/$name ]; do sleep 0.1; done
echo configured
X
	chmod 755 tree/DEBIAN/postinst
	dpkg-deb --root-owner-group -Znone --build tree $name.deb >/dev/null
	cat tree/DEBIAN/control - >>Packages <<X
Filename: ./$name.deb
Size: $(stat -c %s $name.deb)
SHA256: $(sha256sum $name.deb | cut -d ' ' -f 1)

X
done
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
echo 'deb [trusted=yes] file:/srv/apt ./' >/etc/apt/sources.list
apt-get -q update >/dev/null`

// TestPackageInstallationSurvives kills the provider while dpkg configures a package on a host
// over SSH, and then the sessions on the host while dpkg configures another package. Both packages are
// installed once. The next apply after the end of the provider waits for the first installation; the apply whose
// connection was lost succeeds.
func TestPackageInstallationSurvives(t *testing.T) {
	root := roottest.Start(t, roottest.Options{})
	root.Run(t, "sh", "-ec", slowPackages)
	h := root.Host(t)
	program := resourcetest.NewProgram(t)
	run := newInProcess(t, program, overSSH(h)+`
resource "posix_package" "slow" {
  count = var.v
  name  = "slow-${count.index + 1}"
}
`)
	apply := func(v int) <-chan error {
		done := make(chan error, 1)
		go func() { done <- run.apply(context.Background(), v) }()
		return done
	}
	scripts := filepath.Join(root.Dir, "run", "slow")
	await := func(want string, done <-chan error) {
		for {
			if got, err := os.ReadFile(scripts); err == nil && string(got) == want {
				return
			}
			select {
			case err := <-done:
				t.Fatalf("the apply ended before the scripts that ran were %q: %v", want, err)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}

	first := apply(1)
	await("slow-1\n", first)
	p := resourcetest.Process(program)
	if p == nil {
		t.Fatal("there is no process of the provider")
	}
	resourcetest.Must(t, p.Kill())
	if err := <-first; err == nil {
		t.Error("the apply of a killed provider did not fail")
	}
	second := apply(1)
	for strings.Count(root.Log(), "Starting session: command") < 2 { // both connections run commands
		time.Sleep(20 * time.Millisecond)
	}
	root.Run(t, "touch", "/run/slow-1")
	resourcetest.Must(t, <-second)
	resourcetest.Must(t, run.unchanged(t.Context(), 1))

	third := apply(2)
	await("slow-1\nslow-2\n", third)
	root.Run(t, "sh", "-c", `for dir in /proc/[0-9]*; do
	case $(tr '\0' ' ' <$dir/cmdline) in "sshd: root@"*) kill -KILL ${dir#/proc/} ;; esac
done`)
	root.Run(t, "touch", "/run/slow-2")
	resourcetest.Must(t, <-third)
	resourcetest.Must(t, run.unchanged(t.Context(), 2))
	if got := root.Run(t, "sh", "-c", `cat /run/slow; dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' 'slow-*'`); got != "slow-1\nslow-2\nslow-1 ii \nslow-2 ii " {
		t.Errorf("the scripts that ran and the packages are %q, want each script once and both packages installed", got)
	}
}
