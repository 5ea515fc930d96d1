package faulttest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

const changedConfig = `
resource "posix_file" "it" {
  for_each = toset(["content", "emptied", "bytes", "mode", "owner", "removed", "parent/removed", "became", "linked"])
  host     = "web"
  path     = "DIR/${each.key}"
  content  = "right\n"
  mode     = "0640"
}
resource "posix_file" "setuid" {
  host    = "web"
  path    = "DIR/setuid"
  content = "right\n"
  mode    = "4755"
  owner   = "4242"
  group   = "4343"
}
resource "posix_directory" "it" {
  host = "web"
  path = "DIR/directory"
  mode = "2750"
}
resource "posix_symlink" "it" {
  host   = "web"
  path   = "DIR/link"
  target = "right"
}
`

// TestAccFaultChanged changes managed objects on a host over SSH by hand. All changes of configured
// attributes are found and repaired in one apply, except at a path whose file type changed: the
// new object is neither followed nor removed, and does not prevent a destroy.
func TestAccFaultChanged(t *testing.T) {
	parallelInCI(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can change the owner of files")
	}
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	w, dir := newWorkdir(t), resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	w.Write("main.tf", webAt(t, server, key, server.Addr())+resourcetest.Expand(dir, changedConfig))
	apply := func() { t.Helper(); w.Do(nil, "apply", "-auto-approve", "-no-color") }
	right := func() {
		t.Helper()
		want := map[string]string{"setuid": "urwxr-xr-x right\n", "directory": "dgrwxr-x---", "link": "-> right", "parent": "drwxr-xr-x"}
		for _, name := range []string{"content", "emptied", "bytes", "mode", "owner", "removed", "parent/removed", "became", "linked"} {
			want[name] = "-rw-r----- right\n"
		}
		resourcetest.Must(t, resourcetest.OnDisk(dir, want), resourcetest.Owners(dir, map[string]string{"owner": "0:0 0640", "setuid": "4242:4343 04755", "directory": "0:0 02750"})())
	}
	apply()
	right()
	resourcetest.Must(t,
		resourcetest.Put(at("content"), "wrong\n", 0o640), resourcetest.Put(at("emptied"), "", 0o640), resourcetest.Put(at("bytes"), "\x00\xff", 0o640),
		os.Chmod(at("mode"), 0o666), os.Chmod(at("setuid"), 0o755), os.Chmod(at("directory"), 0o2777),
		os.Lchown(at("owner"), 1234, 0), os.Lchown(at("setuid"), 0, 0), os.Lchown(at("directory"), 1234, 2345),
		os.Remove(at("removed")), os.RemoveAll(at("parent")), os.Remove(at("link")), os.Symlink("wrong", at("link")),
	)
	apply()
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
	resourcetest.Must(t, os.Lchown(at("owner"), 0, 0), os.Lchown(at("directory"), 0, 0)) // not configured
	right()

	resourcetest.Must(t, os.Remove(at("became")), os.Mkdir(at("became"), 0o700), resourcetest.Put(at("became/theirs"), "theirs\n", 0o600),
		os.Rename(at("linked"), at("theirs")), os.Symlink("theirs", at("linked")))
	theirs, err := resourcetest.Tree(dir)
	resourcetest.Must(t, err)
	want := resourcetest.WantErrors{}
	for name, is := range map[string]string{"became": "directory", "linked": "symbolic link"} {
		want[fmt.Sprintf("posix_file.it[%q]", name)] = resourcetest.Problem{Texts: []string{
			at(name) + " on host web is a " + is + ", but this resource manages a regular file", "neither followed nor replaced", "move it away and apply again",
		}}
	}
	want.Check(t, w.Run("apply", "-auto-approve", "-json"))
	resourcetest.Must(t, resourcetest.OnDisk(dir, theirs))
	w.Do(nil, "destroy", "-auto-approve", "-no-color")
	maps.DeleteFunc(theirs, func(name, _ string) bool {
		return !slices.Contains([]string{"became", "became/theirs", "linked", "parent", "theirs"}, name)
	})
	resourcetest.Must(t, resourcetest.OnDisk(dir, theirs))
	resourcetest.Must(t, os.RemoveAll(at("became")), os.Remove(at("linked")), os.Remove(at("theirs")))
	apply()
	right()
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}

// TestAccFaultPermission checks the errors for an ordinary user without permission, and
// that permitted operations succeed.
func TestAccFaultPermission(t *testing.T) {
	parallelInCI(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{{Name: "alice", Keys: []ssh.PublicKey{key.PublicKey()}}}})
	w, home := newWorkdir(t), server.Home("alice")
	closed := filepath.Join(home, "closed")
	resourcetest.Must(t, os.Mkdir(closed, 0o755), resourcetest.Put(filepath.Join(home, "secret"), "theirs\n", 0o600))
	before, err := resourcetest.Tree(home)
	resourcetest.Must(t, err)
	const allowed = "On host web, the user the provider runs as lacks permission: connect as another user, or grant this user the permission"
	write := func(cases map[string]resourcetest.FailingConfig) resourcetest.WantErrors {
		config, want := resourcetest.FailingConfigs(cases)
		w.Write("main.tf", webAt(t, server, key, server.Addr(), `user = "alice"`)+resourcetest.Expand(home, config))
		return want
	}
	write(map[string]resourcetest.FailingConfig{
		"posix_file.closed": {Body: "host = \"web\"\npath = \"DIR/closed/file\"\ncontent = \"x\"", Problem: resourcetest.NewProblem("", "web:"+closed+"/file", "permission denied", allowed)},
		"posix_file.given":  {Body: "host = \"web\"\npath = \"DIR/given\"\ncontent = \"x\"\nowner = 0", Problem: resourcetest.NewProblem("", "web:"+home+"/given", allowed)},
		"posix_directory.a": {Body: "host = \"web\"\npath = \"DIR/closed/a\"", Problem: resourcetest.NewProblem("", "web:"+closed+"/a", "permission denied", allowed)},
		"posix_symlink.a":   {Body: "host = \"web\"\npath = \"DIR/closed/link\"\ntarget = \"x\"", Problem: resourcetest.NewProblem("", "web:"+closed+"/link", "permission denied", allowed)},
	}).Check(t, w.Run("apply", "-auto-approve", "-json"))
	resourcetest.Must(t, resourcetest.OnDisk(home, before))
	write(map[string]resourcetest.FailingConfig{
		"posix_file.secret": {Body: "host = \"web\"\npath = \"DIR/secret\"\ncontent = \"theirs\\n\"", Problem: resourcetest.NewProblem("", "web:"+home+"/secret", "permission denied", allowed)},
	}).Check(t, w.Run("plan", "-json"))

	write(map[string]resourcetest.FailingConfig{"posix_file.mine": {Body: "host = \"web\"\npath = \"DIR/mine\"\ncontent = \"mine\\n\"\nmode = \"0600\"", Problem: resourcetest.Problem{}}})
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	before["mine"] = "-rw------- mine\n"
	resourcetest.Must(t, resourcetest.OnDisk(home, before))
}
