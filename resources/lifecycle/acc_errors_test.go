package lifecycle_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestAccErrorsOfConfiguration tests errors that do not depend on the host: validation
// reports these without access to the host.
func TestAccErrorsOfConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	config, want := resourcetest.FailingConfigs(map[string]resourcetest.FailingConfig{
		"posix_file.relative":      {Body: "path = \"etc/motd\"\ncontent = \"\"", Problem: resourcetest.NewProblem("path", `path etc/motd is not absolute: it must start with /`)},
		"posix_file.dots":          {Body: "path = \"/etc/../motd\"\ncontent = \"\"", Problem: resourcetest.NewProblem("path", `has a .. element: write /motd`)},
		"posix_file.slash":         {Body: "path = \"/etc/motd/\"\ncontent = \"\"", Problem: resourcetest.NewProblem("path", `ends with a slash: write /etc/motd`)},
		"posix_file.root":          {Body: "path = \"/\"\ncontent = \"\"", Problem: resourcetest.NewProblem("path", `is the root directory`)},
		"posix_file.temporary":     {Body: "path = \"/tmp/.a.posix-tmp\"\ncontent = \"\"", Problem: resourcetest.NewProblem("path", `which is reserved`)},
		"posix_file.no_path":       {Body: "content = \"\"", Problem: resourcetest.NewProblem("", `The argument "path" is required`)},
		"posix_file.mode":          {Body: "path = \"/tmp/x\"\ncontent = \"\"\nmode = \"0999\"", Problem: resourcetest.NewProblem("mode", `mode "0999": must be three or four octal digits, such as 0644 or 4755`)},
		"posix_file.symbolic_mode": {Body: "path = \"/tmp/x\"\ncontent = \"\"\nmode = \"u=rw\"", Problem: resourcetest.NewProblem("mode", `must be three or four octal digits`)},
		"posix_file.two":           {Body: "path = \"/tmp/x\"\ncontent = \"a\"\nsource = \"/etc/hostname\"", Problem: resourcetest.NewProblem("source", `Only one of content, content_base64, source and content_wo can be set, and content is already set. Remove one of them.`)},
		"posix_file.none":          {Body: "path = \"/tmp/x\"", Problem: resourcetest.NewProblem("", `One of content, content_base64, source and content_wo must be set`)},
		"posix_file.no_version":    {Body: "path = \"/tmp/x\"\ncontent_wo = \"a\"", Problem: resourcetest.NewProblem("", `content_wo_version must be set too when content_wo is set`)},
		"posix_file.base64":        {Body: "path = \"/tmp/x\"\ncontent_base64 = \"AP8\"", Problem: resourcetest.NewProblem("content_base64", `invalid base64`, `with padding`, `base64encode()`)},
		"posix_file.no_command":    {Body: "path = \"/tmp/x\"\ncontent = \"\"\nwrite_options = { validate = [] }", Problem: resourcetest.NewProblem("write_options", `the first element must be a program`)},
		"posix_file.no_place":      {Body: "path = \"/tmp/x\"\ncontent = \"\"\nwrite_options = { validate = [\"visudo\", \"-c\"] }", Problem: resourcetest.NewProblem("write_options", `%s, the path of the temporary file, must occur exactly once, but it is missing`)},
		"posix_file.shell":         {Body: "path = \"/tmp/x\"\ncontent = \"\"\nwrite_options = { validate = [\"sh\", \"-c\", \"visudo -cf %s\"] }", Problem: resourcetest.NewProblem("write_options", `validate[2] is a shell script, and the path would become a part of it. Use "$1" in the script, followed by the elements "sh" and "%s"`)},
		"posix_directory.relative": {Body: "path = \"srv\"", Problem: resourcetest.NewProblem("path", `path srv is not absolute: it must start with /`)},
		"posix_directory.mode":     {Body: "path = \"/tmp/x\"\nmode = 7", Problem: resourcetest.NewProblem("mode", `mode "7": must be three or four octal digits`)},
		"posix_symlink.relative":   {Body: "path = \"current\"\ntarget = \"x\"", Problem: resourcetest.NewProblem("path", `path current is not absolute: it must start with /`)},
		"posix_symlink.target":     {Body: "path = \"/tmp/x\"\ntarget = \"\"", Problem: resourcetest.NewProblem("target", `the target must not be empty`)},
	})
	w.Write("main.tf", config)
	want.Check(t, w.Run("plan", "-json"))
}

// TestAccErrorsOfPlan tests errors that depend on the host: the plan reports them, before
// anything is applied.
func TestAccErrorsOfPlan(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t,
		resourcetest.Put(at("file"), "theirs\n", 0o644), resourcetest.Put(at("file2"), "theirs\n", 0o644), os.Mkdir(at("directory"), 0o700), os.Chmod(at("directory"), 0o700),
		resourcetest.Put(at("directory/in"), "theirs\n", 0o644), os.Symlink("file", at("link")), os.Symlink("directory", at("dirlink")),
	)
	theirs, err := resourcetest.Tree(dir)
	resourcetest.Must(t, err)
	config, want := resourcetest.FailingConfigs(map[string]resourcetest.FailingConfig{
		"posix_file.owner":            {Body: "path = \"DIR/new\"\ncontent = \"\"\nowner = \"nosuchuser\"", Problem: resourcetest.NewProblem("owner", `host local has no user "nosuchuser". Create it first, for example with posix_user, or use its numeric ID`)},
		"posix_file.group":            {Body: "path = \"DIR/new\"\ncontent = \"\"\ngroup = \"nosuchgroup\"", Problem: resourcetest.NewProblem("group", `host local has no group "nosuchgroup". Create it first, for example with posix_group, or use its numeric ID`)},
		"posix_file.source":           {Body: "path = \"DIR/new\"\nsource = \"DIR/absent\"", Problem: resourcetest.NewProblem("source", dir+`/absent, on the host that runs the provider, cannot be read: no such file or directory. If another resource writes the file in the same apply, take the path from an attribute that is unknown until then`)},
		"posix_file.source_directory": {Body: "path = \"DIR/new\"\nsource = \"DIR/directory\"", Problem: resourcetest.NewProblem("source", `it is a directory, not a regular file`)},
		"posix_file.host":             {Body: "path = \"DIR/new\"\ncontent = \"\"\nhost = \"web1\"", Problem: resourcetest.NewProblem("host", `no host "web1" is configured. The provider has: local; and no Host or Match line of the SSH configuration names this host`)},
		"posix_file.exists":           {Body: "path = \"DIR/file\"\ncontent = \"ours\\n\"", Problem: resourcetest.NewProblem("path", dir+`/file already exists on host local with different content`, `import it (id "local:`+dir+`/file")`, `set write_options = { overwrite = true }`)},
		"posix_file.exists_wo":        {Body: "path = \"DIR/file\"\ncontent_wo = \"ours\\n\"\ncontent_wo_version = 1", Problem: resourcetest.NewProblem("path", `already exists`, `set write_options = { overwrite = true }`)},
		"posix_directory.owner":       {Body: "path = \"DIR/new\"\nowner = \"nosuchuser\"", Problem: resourcetest.NewProblem("owner", `no user "nosuchuser"`)},
		"posix_directory.host":        {Body: "path = \"DIR/new\"\nhost = \"web1\"", Problem: resourcetest.NewProblem("host", `no host "web1" is configured`)},
		"posix_directory.unlike_it":   {Body: "path = \"DIR/directory\"\nmode = \"0755\"", Problem: resourcetest.NewProblem("path", `already exists on host local with mode 0700`, `Import it (id "local:`+dir+`/directory")`)},
		"posix_symlink.host":          {Body: "path = \"DIR/new\"\ntarget = \"x\"\nhost = \"web1\"", Problem: resourcetest.NewProblem("host", `no host "web1" is configured`)},
		"posix_symlink.other":         {Body: "path = \"DIR/link\"\ntarget = \"other\"", Problem: resourcetest.NewProblem("path", dir+`/link already exists on host local`, `import`)},
	})
	w.Write("main.tf", resourcetest.Expand(dir, config+resourcetest.Blocks(map[string]string{"posix_file.fine": "path = \"DIR/fine\"\ncontent = \"\""})))
	want.Check(t, w.Run("apply", "-auto-approve", "-json"))
	resourcetest.Must(t, resourcetest.OnDisk(dir, theirs))

	// The remedies work: to set overwrite, or to configure the object as it exists.
	w.Write("main.tf", resourcetest.Expand(dir, resourcetest.Blocks(map[string]string{
		"posix_file.overwritten": "path = \"DIR/file\"\ncontent = \"ours\\n\"\nwrite_options = { overwrite = true }",
		"posix_file.adopted":     "path = \"DIR/file2\"\ncontent = \"theirs\\n\"\nmode = \"0600\"",
		"posix_directory.like":   "path = \"DIR/directory\"\nmode = \"0700\"",
		"posix_symlink.same":     "path = \"DIR/link\"\ntarget = \"file\"",
	})))
	before := resourcetest.Inodes(t, dir, "file2")["file2"]
	w.Do(nil, "apply", "-auto-approve", "-no-color")
	if !os.SameFile(before, resourcetest.Inodes(t, dir, "file2")["file2"]) {
		t.Error("a file with the same content was written again")
	}
	w.Do(nil, "plan", "-no-color", "-detailed-exitcode")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{
		"file": "-rw-r--r-- ours\n", "file2": "-rw------- theirs\n", "directory": "drwx------", "directory/in": "-rw-r--r-- theirs\n",
		"link": "-> file", "dirlink": "-> directory",
	}))
	resourcetest.Must(t, resourcetest.Put(at("directory/in2"), "theirs too\n", 0o644))
	resourcetest.WantErrors{"posix_directory.like": {Texts: []string{
		dir + "/directory on host local: the directory is not empty: it has in, in2", "Delete or move these entries", "set force_destroy = true and apply this change before destroying",
	}}}.Check(t, w.Run("destroy", "-auto-approve", "-json"))
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{"directory": "drwx------", "directory/in": "-rw-r--r-- theirs\n", "directory/in2": "-rw-r--r-- theirs too\n", "dirlink": "-> directory"}))
}

// TestAccErrorsOfApply tests errors that appear only during the apply, because values were
// unknown, or because the plan only warns of them or does not check for them. Existing objects are not
// changed, and all other resources are applied.
func TestAccErrorsOfApply(t *testing.T) {
	t.Parallel()
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t, resourcetest.Put(at("file"), "theirs\n", 0o644), os.Mkdir(at("directory"), 0o755), os.Symlink("file", at("link")), resourcetest.Put(at("parent"), "theirs\n", 0o644))
	theirs, err := resourcetest.Tree(dir)
	resourcetest.Must(t, err)
	config, want := resourcetest.FailingConfigs(map[string]resourcetest.FailingConfig{
		"posix_file.none":         {Body: "path = \"DIR/new\"\ncontent = local.unknown == \"\" ? \"\" : null", Problem: resourcetest.NewProblem("", `One of content, content_base64, source and content_wo must be set`)},
		"posix_file.two":          {Body: "path = \"DIR/new\"\ncontent = local.unknown\ncontent_base64 = local.unknown", Problem: resourcetest.NewProblem("content_base64", `Only one of content, content_base64, source and content_wo can be set, and content is already set`)},
		"posix_file.relative":     {Body: "path = local.unknown\ncontent = \"\"", Problem: resourcetest.NewProblem("path", `path text is not absolute`)},
		"posix_file.mode":         {Body: "path = \"DIR/new\"\ncontent = \"\"\nmode = local.unknown", Problem: resourcetest.NewProblem("mode", `mode "text": must be three or four octal digits`)},
		"posix_file.owner":        {Body: "path = \"DIR/new\"\ncontent = \"\"\nowner = \"no${local.unknown}\"", Problem: resourcetest.NewProblem("owner", `host local has no user "notext"`)},
		"posix_file.source":       {Body: "path = \"DIR/new\"\nsource = \"DIR/no${local.unknown}\"", Problem: resourcetest.NewProblem("source", `/notext, on the host that runs the provider, cannot be read`)},
		"posix_file.exists":       {Body: "path = \"DIR/file\"\ncontent = local.unknown", Problem: resourcetest.NewProblem("path", `already exists on host local with different content`, `overwrite = true`)},
		"posix_file.directory":    {Body: "path = \"DIR/directory\"\ncontent = local.unknown", Problem: resourcetest.NewProblem("", `is a directory, but this resource manages a regular file`)},
		"posix_file.link":         {Body: "path = \"DIR/link\"\ncontent = local.unknown", Problem: resourcetest.NewProblem("", `is a symbolic link, but this resource manages a regular file`)},
		"posix_file.no_parents":   {Body: "path = \"DIR/absent/file\"\ncontent = \"\"\nwrite_options = { parents = false }", Problem: resourcetest.NewProblem("", `The directory `+dir+`/absent does not exist on host local: create it first, or set parents = true`)},
		"posix_file.parent":       {Body: "path = \"DIR/parent/file\"\ncontent = \"\"", Problem: resourcetest.NewProblem("", `a parent directory in the path is not a directory`)},
		"posix_directory.file":    {Body: "path = \"DIR/${local.unknown == \"\" ? \"\" : \"file\"}\"", Problem: resourcetest.NewProblem("", `is a regular file, but this resource manages a directory`)},
		"posix_directory.parents": {Body: "path = \"DIR/absent/directory\"\nparents = false", Problem: resourcetest.NewProblem("", `The directory `+dir+`/absent does not exist on host local: create it first, or set parents = true`)},
		"posix_symlink.other":     {Body: "path = \"DIR/link\"\ntarget = local.unknown", Problem: resourcetest.NewProblem("path", `already exists on host local`)},
		"posix_directory.link":    {Body: "path = \"DIR/link\"", Problem: resourcetest.NewProblem("", `is a symbolic link, but this resource manages a directory`)},
		"posix_symlink.file":      {Body: "path = \"DIR/file\"\ntarget = \"x\"", Problem: resourcetest.NewProblem("", `is a regular file, but this resource manages a symbolic link`)},
		"posix_symlink.parent":    {Body: "path = \"DIR/parent/link\"\ntarget = \"x\"", Problem: resourcetest.NewProblem("", `a parent directory in the path is not a directory`)},
	})
	w.Write("main.tf", resourcetest.Expand(dir, `
resource "terraform_data" "value" {
  input = "text"
}
locals {
  unknown = terraform_data.value.output
}
`+config+resourcetest.Blocks(map[string]string{"posix_file.fine": "path = \"DIR/fine\"\ncontent = local.unknown"})))
	want.Check(t, w.Run("apply", "-auto-approve", "-json"))
	theirs["fine"] = "-rw-r--r-- text"
	resourcetest.Must(t, resourcetest.OnDisk(dir, theirs))
}

// TestAccErrorsOfPermission tests errors of an unprivileged user.
func TestAccErrorsOfPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("must not run as root")
	}
	w := newWorkdir(t)
	dir := resourcetest.TempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t, os.Mkdir(at("closed"), 0o500), resourcetest.Put(at("secret"), "theirs\n", 0o200))
	t.Cleanup(func() { resourcetest.Must(t, os.Chmod(at("closed"), 0o700)) })
	allowed := "On host local, the user who runs Terraform lacks permission: run Terraform as root"
	config, want := resourcetest.FailingConfigs(map[string]resourcetest.FailingConfig{
		"posix_file.closed":    {Body: "path = \"DIR/closed/file\"\ncontent = \"\"", Problem: resourcetest.NewProblem("", dir+"/closed", "permission denied", allowed)},
		"posix_file.give_away": {Body: "path = \"DIR/new\"\ncontent = \"\"\nowner = 0", Problem: resourcetest.NewProblem("", dir+"/new", "not permitted", allowed)},
		"posix_directory.in":   {Body: "path = \"DIR/closed/directory\"", Problem: resourcetest.NewProblem("", dir+"/closed/directory", "permission denied", allowed)},
		"posix_symlink.in":     {Body: "path = \"DIR/closed/link\"\ntarget = \"x\"", Problem: resourcetest.NewProblem("", dir+"/closed/link", "permission denied", allowed)},
	})
	w.Write("main.tf", resourcetest.Expand(dir, config))
	want.Check(t, w.Run("apply", "-auto-approve", "-json"))
	config, want = resourcetest.FailingConfigs(map[string]resourcetest.FailingConfig{
		"posix_file.secret": {Body: "path = \"DIR/secret\"\ncontent = \"theirs\\n\"", Problem: resourcetest.NewProblem("", dir+"/secret", "permission denied", allowed)},
	})
	w.Write("main.tf", resourcetest.Expand(dir, config))
	want.Check(t, w.Run("plan", "-json"))
}
