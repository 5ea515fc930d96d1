//go:build unix

package shellrpc_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
)

func wantSame(t *testing.T, got, want []string) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// only returns a host that has only the given tools.
func only(t *testing.T, tools ...string) *remotetest.Starter {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range tools {
		if err := os.Symlink(remotetest.Need(t, tool), filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	return &remotetest.Starter{Shell: []string{filepath.Join(dir, "sh")}, Env: []string{"PATH=" + dir}}
}

// bsd returns a host whose tools have the options, output and messages of BSD tools, as
// their manuals describe them; they get their data from this host's tools.
func bsd(t *testing.T) *remotetest.Starter {
	t.Helper()
	s := only(t, "sh", "date", "cat", "ls", "readlink", "rm", "sleep", "id")
	dir := filepath.Dir(s.Shell[0])
	for name, text := range map[string]string{
		"stat": `[ "$1" = -f ] && [ "$2" = %Xp ] && exec STAT -c %f "$3"
if [ "$1" != -f ]; then echo "stat: illegal option -- c" >&2; exit 1; fi
if [ "$2" != '%Xp %z %u %g %Fm %Fc %d %i [] %N' ]; then echo "stat: format $2" >&2; exit 1; fi
shift 2
for p do
  STAT -c '%f %s %u %g %.9Y %.9Z %d %i [] %n' "$p" 2>/dev/null && continue
  e=$(STAT "$p" 2>&1 >/dev/null)
  echo "stat: $p: stat: ${e##*: }" >&2
done`,
		"sha256": `[ "$1" = -r ] || exit 2
shift
for p do
  if d=$(SUM <"$p"); then echo "${d%% *} $p"; else echo "sha256: $p: Permission denied" >&2; fi
done 2>/dev/null`,
		"dscacheutil": `[ "$1 $3" = "-q -a" ] || exit 2
case "$2 $4 $5" in
  "user name root" | "user uid 0")
    printf 'name: root\npassword: *\nuid: 0\ngid: 0\ndir: /var/root\nshell: /bin/sh\ngecos: System Administrator\n\n' ;;
  "user name alice" | "user uid 501")
    printf 'name: alice\npassword: ********\nuid: 501\ngid: 20\ndir: /Users/alice\nshell: /bin/zsh\ngecos: Alice\n\n' ;;
  "group name staff" | "group gid 20")
    printf 'name: staff\npassword: *\ngid: 20\nusers: root alice\n\n' ;;
esac`,
	} {
		script(t, dir, name, text)
	}
	return s
}

// unreliable returns a host whose tools print too much or too little when they are called with
// several files.
func unreliable(t *testing.T) *remotetest.Starter {
	t.Helper()
	dir := t.TempDir()
	script(t, dir, "stat", `case $4 in ?*) echo "stat: a warning" >&2;; esac
exec STAT "$@"`)
	script(t, dir, "sha256sum", `case $2 in ?*) echo "sha256sum: a warning" >&2;; esac
exec SUM "$@"`)
	script(t, dir, "readlink", `if [ "$1" = -z ]; then shift 3; exec LINK -z -- "$@"; fi
exec LINK "$@"`)
	return &remotetest.Starter{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}}
}

// script creates a tool. CAT, STAT, SUM and LINK in text are replaced by the paths of tools of this host.
func script(t *testing.T, dir, name, text string) {
	t.Helper()
	for word, tool := range map[string]string{"CAT": "cat", "STAT": "stat", "SUM": "sha256sum", "LINK": "readlink"} {
		text = strings.ReplaceAll(text, word, remotetest.Need(t, tool))
	}
	remotetest.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n")
}
