// Package roottest runs tests in a temporary Debian system (a root). Tests may
// add users, install packages, mount file systems, and change crontabs and the
// hostname; the host does not change.
//
// A package whose tests make such changes runs all of its tests in one new root:
//
//	func TestMain(m *testing.M) {
//		roottest.Main(m, roottest.Options{Packages: []string{"cron", "sudo"}})
//	}
//
// In a root, tests run as usual: with the flags -run, -v, -race, -cover and
// -fuzz, the working directory, testdata, the checkout at its usual path (the
// real one, so tests must write to t.TempDir), and the OpenTofu or Terraform
// that package acctest finds outside.
//
// In the fast tier (go test -short), no test runs in a root: Main runs the
// tests directly, and tests that need a root are skipped by [Require], which
// they call first. Tests without Require must change nothing outside t.TempDir,
// because they may run as root.
//
// In a root:
//
//   - Tests run as root, in a minimal Debian of the host's release with
//     [Options.Packages] and without recommended packages. Common tools may have to
//     be listed: procps has ps and sysctl, iproute2 has ip, cron has crontab.
//   - Packages can be installed: apt has the sources and proxies of the host, and
//     package lists. Without [Options.Systemd] there is no init system, so packages start no
//     services; a test starts what it needs (cron -f, sshd -D) and need not stop it.
//   - The checkout and the directories of go test are those of the host. Otherwise, /tmp, /run
//     and /dev contain only the standard entries and /run/roottest. Files written outside of
//     the checkout and the directories of go test are kept in memory.
//   - Hostname, mounts, processes and IPC are separate. In /proc/sys,
//     kernel.hostname, kernel.domainname and the limits of System V IPC are
//     writable, and with [Options.PrivateNet] also net. The rest of /proc/sys, and
//     /sys, are those of the host and read-only. The clock cannot be set, and
//     kernel modules cannot be loaded.
//   - The tests of a package share one root: parallel tests need unique names, and
//     share locks (dpkg, /etc/passwd).
//
// A test that needs several hosts, or a host over SSH, starts roots with [Start].
// The roots share the network of the host: each has an sshd on a loopback port,
// where root logs in with a key ([Root.Host]). The test accesses files below
// [Root.Dir] and runs programs with [Root.Run]. Without [Options.Systemd], the root
// ends with its sshd. Start can be used in a root of [Main] too.
//
// With [Options.Systemd], Start boots systemd, whose units, journal, D-Bus and logins work
// as on a server. systemd detects that it is in a container, has no devices and no cgroup controllers,
// and cannot load kernel modules. When systemd reboots, the root boots again
// ([Root.Boots], [Root.WaitBoot]), with its files, but without its processes, its mounts
// and the content of /run and /tmp. When systemd powers off, the root ends.
//
// The first use builds a minimal base in .cache/roots of the repository with
// debootstrap and the mirror of the host, which takes about a minute. Each
// further set of packages is installed into a copy of the minimal base. Test binaries
// wait for a base that is being built. Package lists are as old as the base; remove
// .cache/roots to rebuild it.
//
// Invariants: a base is complete or does not exist, and never changes. A root
// is an overlay over a base in its own namespaces, with changes in memory. Its
// first process ends with the process that started it, and all other processes of the
// root end with the first process, so that nothing remains. A root with systemd also has a cgroup, which its first
// process removes; if that process is killed, the next root with systemd removes the cgroup. If
// roots are impossible (they require the user root, namespaces, and Debian or a derivative) or
// debootstrap is missing, tests are skipped with the reason, or fail if CI is set. With
// POSIX_ACC=require, they also fail if debootstrap is missing.
//
// Elsewhere: scripts/prepare installs debootstrap; package sshdtest runs sshd
// on the host, without a base.
package roottest
