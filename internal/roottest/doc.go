// Package roottest gives tests a Debian system of their own, which is thrown away
// after them: they add users, install packages, mount, set the clock of cron and
// the name of the machine, and the machine that they run on does not change.
//
// A package whose tests change a system has them all run in one fresh root:
//
//	func TestMain(m *testing.M) {
//		roottest.Main(m, roottest.Options{Packages: []string{"cron", "sudo"}})
//	}
//
// Within, the tests are what they are elsewhere: go test with -run, -v, -race,
// -cover and -fuzz, the working directory, testdata, the checkout at its usual
// path (which is the real one: tests write to t.TempDir), and the OpenTofu or
// Terraform that package acctest would choose outside.
//
// In the fast tier (go test -short) no test runs in a root: Main runs the tests of
// the package where go test runs, and a test that needs the root is skipped by
// [Require], which it calls first. Tests of text, of host/memory, of transcripts and
// of t.TempDir run there. A test without Require must change nothing else of the
// system, as root may run it.
//
// What a test finds in a root:
//
//   - It is root, in a minimal Debian of the machine's own release, with
//     [Options.Packages] and without recommended ones. What one takes for granted may have
//     to be named: procps has ps and sysctl, iproute2 ip, cron crontab.
//   - Programs can be installed: apt has the machine's sources, proxies and package
//     lists. Nothing is started as it is installed, as there is no init system; a
//     test starts what it needs (cron -f, sshd -D), and need not stop it.
//   - /tmp, /run and /dev are empty but for what every system has. All that is
//     written outside of the checkout is kept in memory.
//   - The hostname, mounts, processes and IPC are the root's own. Of /proc/sys that
//     is kernel.hostname, kernel.domainname, and the limits of System V IPC; with
//     [Options.PrivateNet] all of net, too. The rest of /proc/sys, and /sys, are the
//     machine's, and read-only. The clock cannot be set, nor kernel modules loaded.
//   - One root is shared by the tests of a package, as one machine is: tests in
//     parallel take names that are theirs alone. What they lock (dpkg, /etc/passwd)
//     they share, too.
//
// A test that wants several machines, or one over SSH, starts roots of its own
// with [Start]. They are as above, but share the machine's network: each has an
// sshd at a loopback port, at which root logs in with a key ([Root.Host]). The
// test looks at its files below [Root.Dir] and runs programs in it with
// [Root.Run]. There sshd is what the root lasts for: whoever stops it ends the
// root. A package can use Start in a root of [Main], too.
//
// The first use builds a base in .cache/roots of the repository, with debootstrap
// and the machine's own mirror, which takes about a minute; each further set of
// packages takes a copy and its installation. Test binaries that need a base that is
// being built wait for it. Package lists are as old as the base: removing
// .cache/roots has it built anew.
//
// Invariants: a base is whole or not there, and never changes. A root is an
// overlay over it in namespaces of its own, whose changes are in memory. Its first
// process ends with whoever started it, and everything else with that, so that
// nothing is left however a run ends. Where there can be no root (only root can
// make one, on Linux, on Debian or what derives from it) or debootstrap is
// missing, tests are skipped with a line that says so; where CI is set they fail.
//
// Elsewhere: installing debootstrap is scripts/prepare, sshd without a system of
// its own is package sshdtest, which needs no base.
package roottest
