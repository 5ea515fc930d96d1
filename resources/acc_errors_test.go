package resources_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// blocks makes a configuration of resources named as given, each with its body.
func blocks(bodies map[string]string) string {
	var b strings.Builder
	for _, address := range sorted(bodies) {
		typeName, name, _ := strings.Cut(address, ".")
		fmt.Fprintf(&b, "resource %q %q {\n%s\n}\n", typeName, name, bodies[address])
	}
	return b.String()
}

// erring is a resource whose configuration is wrong, and what is said of it.
type erring struct {
	body string
	problem
}

func errs(cases map[string]erring) (config string, want diagnosed) {
	bodies, want := map[string]string{}, diagnosed{}
	for address, c := range cases {
		bodies[address], want[address] = c.body, c.problem
	}
	return blocks(bodies), want
}

// TestAccErrorsOfConfiguration is about what is wrong whatever is on the disk:
// it is said by validation, before anything is looked at.
func TestAccErrorsOfConfiguration(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	config, want := errs(map[string]erring{
		"posix_file.relative":      {"path = \"etc/motd\"\ncontent = \"\"", problem{"path", []string{`path etc/motd is not absolute: it must begin with /`}}},
		"posix_file.dots":          {"path = \"/etc/../motd\"\ncontent = \"\"", problem{"path", []string{`has a .. element: write /motd`}}},
		"posix_file.slash":         {"path = \"/etc/motd/\"\ncontent = \"\"", problem{"path", []string{`ends with a slash: write /etc/motd`}}},
		"posix_file.root":          {"path = \"/\"\ncontent = \"\"", problem{"path", []string{`is the root directory`}}},
		"posix_file.temporary":     {"path = \"/tmp/.a.posix-tmp\"\ncontent = \"\"", problem{"path", []string{`which is reserved`}}},
		"posix_file.no_path":       {"content = \"\"", problem{"", []string{`The argument "path" is required`}}},
		"posix_file.mode":          {"path = \"/tmp/x\"\ncontent = \"\"\nmode = \"0999\"", problem{"mode", []string{`mode "0999": must be three or four octal digits, as 0644 or 4755`}}},
		"posix_file.symbolic_mode": {"path = \"/tmp/x\"\ncontent = \"\"\nmode = \"u=rw\"", problem{"mode", []string{`must be three or four octal digits`}}},
		"posix_file.two":           {"path = \"/tmp/x\"\ncontent = \"a\"\nsource = \"/etc/hostname\"", problem{"source", []string{`Only one of content, content_base64, source and content_wo can be set, and content is set already. Remove one of them.`}}},
		"posix_file.none":          {"path = \"/tmp/x\"", problem{"", []string{`One of content, content_base64, source and content_wo must be set`}}},
		"posix_file.no_version":    {"path = \"/tmp/x\"\ncontent_wo = \"a\"", problem{"", []string{`content_wo_version must be set too when content_wo is set`}}},
		"posix_file.base64":        {"path = \"/tmp/x\"\ncontent_base64 = \"AP8\"", problem{"content_base64", []string{`not base64`, `with padding`, `base64encode()`}}},
		"posix_file.no_command":    {"path = \"/tmp/x\"\ncontent = \"\"\nvalidate = []", problem{"validate", []string{`there is no command`}}},
		"posix_file.no_place":      {"path = \"/tmp/x\"\ncontent = \"\"\nvalidate = [\"visudo\", \"-c\"]", problem{"validate", []string{`%s, the place of the temporary file, must be there once, and is missing`}}},
		"posix_file.shell":         {"path = \"/tmp/x\"\ncontent = \"\"\nvalidate = [\"sh\", \"-c\", \"visudo -cf %s\"]", problem{"validate", []string{`element 2 is a program for a shell, which would read the path as a part of it. Write "$1" there, and after it the elements "sh" and "%s"`}}},
		"posix_directory.relative": {"path = \"srv\"", problem{"path", []string{`path srv is not absolute: it must begin with /`}}},
		"posix_directory.mode":     {"path = \"/tmp/x\"\nmode = 7", problem{"mode", []string{`mode "7": must be three or four octal digits`}}},
		"posix_symlink.relative":   {"path = \"current\"\ntarget = \"x\"", problem{"path", []string{`path current is not absolute: it must begin with /`}}},
		"posix_symlink.target":     {"path = \"/tmp/x\"\ntarget = \"\"", problem{"target", []string{`a link needs a target`}}},
	})
	w.Write("main.tf", config)
	want.check(t, w.Run("plan", "-json"))
}

// TestAccErrorsOfPlan is about what a look at the machine tells: nothing is
// applied before it is said.
func TestAccErrorsOfPlan(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t,
		put(at("file"), "theirs\n", 0o644), put(at("file2"), "theirs\n", 0o644), os.Mkdir(at("folder"), 0o700), os.Chmod(at("folder"), 0o700),
		put(at("folder/in"), "theirs\n", 0o644), os.Symlink("file", at("link")), os.Symlink("folder", at("dirlink")),
	)
	theirs, err := everything(dir)
	must(t, err)
	config, want := errs(map[string]erring{
		"posix_file.owner":          {"path = \"DIR/new\"\ncontent = \"\"\nowner = \"nosuchuser\"", problem{"owner", []string{`host local has no user "nosuchuser". Create it first, as with posix_user, or give its number`}}},
		"posix_file.group":          {"path = \"DIR/new\"\ncontent = \"\"\ngroup = \"nosuchgroup\"", problem{"group", []string{`host local has no group "nosuchgroup". Create it first, as with posix_group, or give its number`}}},
		"posix_file.source":         {"path = \"DIR/new\"\nsource = \"DIR/absent\"", problem{"source", []string{dir + `/absent, on the machine where the provider runs, cannot be read: no such file or directory. The file must exist when the plan is made`}}},
		"posix_file.source_folder":  {"path = \"DIR/new\"\nsource = \"DIR/folder\"", problem{"source", []string{`it is a directory, not a regular file`}}},
		"posix_file.host":           {"path = \"DIR/new\"\ncontent = \"\"\nhost = \"web1\"", problem{"host", []string{`there is no host "web1". The provider has: local; and no Host line of the SSH configuration is about it`}}},
		"posix_file.exists":         {"path = \"DIR/file\"\ncontent = \"ours\\n\"", problem{"path", []string{dir + `/file exists already on host local, with other content than configured`, `import it (id "local:` + dir + `/file")`, `set overwrite = true`}}},
		"posix_file.exists_wo":      {"path = \"DIR/file\"\ncontent_wo = \"ours\\n\"\ncontent_wo_version = 1", problem{"path", []string{`exists already`, `set overwrite = true`}}},
		"posix_file.folder":         {"path = \"DIR/folder\"\ncontent = \"\"\noverwrite = true", problem{"", []string{dir + `/folder on host local is a directory, and a regular file is managed here. It is neither followed nor replaced`}}},
		"posix_file.link":           {"path = \"DIR/link\"\ncontent = \"theirs\\n\"\noverwrite = true", problem{"", []string{`is a symbolic link, and a regular file is managed here`}}},
		"posix_directory.owner":     {"path = \"DIR/new\"\nowner = \"nosuchuser\"", problem{"owner", []string{`no user "nosuchuser"`}}},
		"posix_directory.host":      {"path = \"DIR/new\"\nhost = \"web1\"", problem{"host", []string{`there is no host "web1"`}}},
		"posix_directory.file":      {"path = \"DIR/file\"", problem{"", []string{`is a regular file, and a directory is managed here`}}},
		"posix_directory.link":      {"path = \"DIR/dirlink\"", problem{"", []string{`is a symbolic link, and a directory is managed here`}}},
		"posix_directory.unlike_it": {"path = \"DIR/folder\"\nmode = \"0755\"", problem{"path", []string{`exists already on host local, with mode 0700`, `Import it (id "local:` + dir + `/folder")`}}},
		"posix_symlink.host":        {"path = \"DIR/new\"\ntarget = \"x\"\nhost = \"web1\"", problem{"host", []string{`there is no host "web1"`}}},
		"posix_symlink.file":        {"path = \"DIR/file\"\ntarget = \"x\"", problem{"", []string{`is a regular file, and a symbolic link is managed here`}}},
		"posix_symlink.other":       {"path = \"DIR/link\"\ntarget = \"other\"", problem{"path", []string{dir + `/link exists already on host local`, `import`}}},
	})
	w.Write("main.tf", expand(dir, config+blocks(map[string]string{"posix_file.fine": "path = \"DIR/fine\"\ncontent = \"\""})))
	want.check(t, w.Run("apply", "-auto-approve", "-json"))
	must(t, onDisk(dir, theirs))

	// The remedies: to overwrite, and to have what is there.
	w.Write("main.tf", expand(dir, blocks(map[string]string{
		"posix_file.overwritten": "path = \"DIR/file\"\ncontent = \"ours\\n\"\noverwrite = true",
		"posix_file.adopted":     "path = \"DIR/file2\"\ncontent = \"theirs\\n\"\nmode = \"0600\"",
		"posix_directory.like":   "path = \"DIR/folder\"\nmode = \"0700\"",
		"posix_symlink.same":     "path = \"DIR/link\"\ntarget = \"file\"",
	})))
	before := inodes(t, dir, "file2")["file2"]
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	if !os.SameFile(before, inodes(t, dir, "file2")["file2"]) {
		t.Error("a file with the same content was written anew")
	}
	w.Do(nil, "plan", "-no-color", "-detailed-exitcode")
	must(t, onDisk(dir, map[string]string{
		"file": "-rw-r--r-- ours\n", "file2": "-rw------- theirs\n", "folder": "drwx------", "folder/in": "-rw-r--r-- theirs\n",
		"link": "-> file", "dirlink": "-> folder",
	}))
	must(t, put(at("folder/in2"), "theirs too\n", 0o644))
	diagnosed{"posix_directory.like": {words: []string{
		dir + "/folder on host local is not deleted, for it is not empty: it has in, in2", "Delete or move these", "set force_destroy = true and apply that before destroying",
	}}}.check(t, w.Run("destroy", "-auto-approve", "-json"))
	must(t, onDisk(dir, map[string]string{"folder": "drwx------", "folder/in": "-rw-r--r-- theirs\n", "folder/in2": "-rw-r--r-- theirs too\n", "dirlink": "-> folder"}))
}

// TestAccErrorsOfApply is about what only shows when a plan is applied, because
// values were unknown or the disk has changed. What was there stays as it was,
// and what is right is applied all the same.
func TestAccErrorsOfApply(t *testing.T) {
	t.Parallel()
	w := workdir(t)
	dir := tempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, put(at("file"), "theirs\n", 0o644), os.Mkdir(at("folder"), 0o755), os.Symlink("file", at("link")), put(at("parent"), "theirs\n", 0o644))
	theirs, err := everything(dir)
	must(t, err)
	config, want := errs(map[string]erring{
		"posix_file.none":            {"path = \"DIR/new\"\ncontent = local.unknown == \"\" ? \"\" : null", problem{"", []string{`One of content, content_base64, source and content_wo must be set`}}},
		"posix_file.two":             {"path = \"DIR/new\"\ncontent = local.unknown\ncontent_base64 = local.unknown", problem{"content_base64", []string{`Only one of content, content_base64, source and content_wo can be set, and content is set already`}}},
		"posix_file.relative":        {"path = local.unknown\ncontent = \"\"", problem{"path", []string{`path text is not absolute`}}},
		"posix_file.mode":            {"path = \"DIR/new\"\ncontent = \"\"\nmode = local.unknown", problem{"mode", []string{`mode "text": must be three or four octal digits`}}},
		"posix_file.owner":           {"path = \"DIR/new\"\ncontent = \"\"\nowner = \"no${local.unknown}\"", problem{"owner", []string{`host local has no user "notext"`}}},
		"posix_file.source":          {"path = \"DIR/new\"\nsource = \"DIR/no${local.unknown}\"", problem{"source", []string{`/notext, on the machine where the provider runs, cannot be read`}}},
		"posix_file.exists":          {"path = \"DIR/file\"\ncontent = local.unknown", problem{"path", []string{`exists already on host local, with other content than configured`, `overwrite = true`}}},
		"posix_file.folder":          {"path = \"DIR/folder\"\ncontent = local.unknown\noverwrite = true", problem{"", []string{`is a directory, and a regular file is managed here`}}},
		"posix_file.link":            {"path = \"DIR/link\"\ncontent = local.unknown\noverwrite = true", problem{"", []string{`is a symbolic link, and a regular file is managed here`}}},
		"posix_file.no_parents":      {"path = \"DIR/absent/file\"\ncontent = \"\"\nparents = false", problem{"", []string{`The directory ` + dir + `/absent does not exist on host local: create it first, or set parents = true`}}},
		"posix_file.parent":          {"path = \"DIR/parent/file\"\ncontent = \"\"", problem{"", []string{`a parent of it is not a directory`}}},
		"posix_directory.file":       {"path = \"DIR/${local.unknown == \"\" ? \"\" : \"file\"}\"", problem{"", []string{`is a regular file, and a directory is managed here`}}},
		"posix_directory.parents":    {"path = \"DIR/absent/folder\"\nparents = false", problem{"", []string{`The directory ` + dir + `/absent does not exist on host local: create it first, or set parents = true`}}},
		"posix_symlink.other":        {"path = \"DIR/link\"\ntarget = local.unknown", problem{"path", []string{`exists already on host local`}}},
		"posix_symlink.no_directory": {"path = \"DIR/absent/link\"\ntarget = \"x\"", problem{"", []string{dir + `/absent`, `does not exist`}}},
	})
	w.Write("main.tf", expand(dir, `
resource "terraform_data" "value" {
  input = "text"
}
locals {
  unknown = terraform_data.value.output
}
`+config+blocks(map[string]string{"posix_file.fine": "path = \"DIR/fine\"\ncontent = local.unknown"})))
	want.check(t, w.Run("apply", "-auto-approve", "-json"))
	theirs["fine"] = "-rw-r--r-- text"
	must(t, onDisk(dir, theirs))
}

// TestAccErrorsOfPermission is what an ordinary user meets.
func TestAccErrorsOfPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root is allowed everything")
	}
	w := workdir(t)
	dir := tempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.Mkdir(at("closed"), 0o500), put(at("secret"), "theirs\n", 0o200))
	t.Cleanup(func() { must(t, os.Chmod(at("closed"), 0o700)) })
	allowed := "On host local, the user that the provider works as must be allowed to do this"
	config, want := errs(map[string]erring{
		"posix_file.closed":    {"path = \"DIR/closed/file\"\ncontent = \"\"", problem{"", []string{dir + "/closed", "permission denied", allowed}}},
		"posix_file.give_away": {"path = \"DIR/new\"\ncontent = \"\"\nowner = 0", problem{"", []string{dir + "/new", "not permitted", allowed}}},
		"posix_directory.in":   {"path = \"DIR/closed/folder\"", problem{"", []string{dir + "/closed/folder", "permission denied", allowed}}},
		"posix_symlink.in":     {"path = \"DIR/closed/link\"\ntarget = \"x\"", problem{"", []string{dir + "/closed/link", "permission denied", allowed}}},
	})
	w.Write("main.tf", expand(dir, config))
	want.check(t, w.Run("apply", "-auto-approve", "-json"))
	config, want = errs(map[string]erring{
		"posix_file.secret": {"path = \"DIR/secret\"\ncontent = \"theirs\\n\"", problem{"", []string{dir + "/secret", "permission denied", allowed}}},
	})
	w.Write("main.tf", expand(dir, config))
	want.check(t, w.Run("plan", "-json"))
}
