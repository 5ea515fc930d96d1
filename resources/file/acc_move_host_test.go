package file_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
)

// optional returns optional computed attributes of one type.
func optional(of cty.Type, names ...string) map[string]*configschema.Attribute {
	attrs := map[string]*configschema.Attribute{}
	for _, name := range names {
		attrs[name] = &configschema.Attribute{Type: of, Optional: true, Computed: true}
	}
	return attrs
}

// remoteProvider returns a provider with the schema of tenstad/remote.
func remoteProvider() resourcetest.Former {
	conn := optional(cty.String, "host", "user", "password", "private_key", "private_key_path", "private_key_env_var")
	for name, of := range map[string]cty.Type{"port": cty.Number, "timeout": cty.Number, "sudo": cty.Bool, "agent": cty.Bool} {
		conn[name] = &configschema.Attribute{Type: of, Optional: true}
	}
	return resourcetest.Former{Types: map[string]provider.Schema{"remote_file": {Body: &configschema.Block{
		Attributes: optional(cty.String, "id", "path", "content", "permissions", "owner", "owner_name", "group", "group_name"),
		BlockTypes: map[string]*configschema.NestedBlock{"conn": {Nesting: configschema.NestingList, Block: configschema.Block{Attributes: conn}}},
	}}}}
}

// systemProvider returns a provider with the schema of neuspaces/system.
func systemProvider() resourcetest.Former {
	schema := func(names ...string) provider.Schema {
		attrs := optional(cty.String, append(names, "id", "path", "user", "group")...)
		maps.Copy(attrs, optional(cty.Number, "uid", "gid"))
		return provider.Schema{Version: 1, Body: &configschema.Block{Attributes: attrs}}
	}
	return resourcetest.Former{Types: map[string]provider.Schema{
		"system_file":   schema("mode", "basename", "content", "content_sensitive", "source", "md5sum"),
		"system_folder": schema("mode", "basename"),
		"system_link":   schema("target"),
	}}
}

// TestAccMovedFromRemotes moves objects from providers whose state has no host, and checks
// that the objects get the configured host, which is reached over SSH, and that unchanged objects are
// neither replaced nor written.
func TestAccMovedFromRemotes(t *testing.T) {
	t.Parallel()
	w, dir := resourcetest.NewWorkdir(t), resourcetest.TempDir(t)
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{sshdtest.Me(key.PublicKey())}})
	withdrawRemote, withdrawSystem := w.Serve("tenstad/remote", remoteProvider().New), w.Serve("neuspaces/system", systemProvider().New)
	at := func(name string) string { return filepath.Join(dir, name) }
	resourcetest.Must(t,
		resourcetest.Put(at("remote"), "remote\n", 0o640), resourcetest.Put(at("conn"), "conn\n", 0o644), resourcetest.Put(at("file"), "file\n", 0o600),
		resourcetest.Put(at("sensitive"), "sensitive\n", 0o600), resourcetest.Put(at("source"), "source\n", 0o644), resourcetest.Put(at("edited"), "before\n", 0o644),
		os.Mkdir(at("directory"), 0o750), resourcetest.Put(at("directory/kept"), "kept\n", 0o644), os.Symlink("directory", at("link")))
	names := []string{"remote", "conn", "file", "sensitive", "source", "directory", "link"}
	before := resourcetest.Inodes(t, dir, names...)

	var s resourcetest.RecordedState
	remote := func(name, permissions string, conn ...any) {
		s.Add("tenstad/remote", "remote_file", name, 0, map[string]any{
			"id": "192.0.2.1:22:" + at(name), "conn": conn, "path": at(name), "content": name + "\n", "permissions": permissions,
			"owner": nil, "owner_name": nil, "group": nil, "group_name": nil,
		})
	}
	remote("remote", "640", []any{}...)
	remote("conn", "0644", map[string]any{
		"host": "192.0.2.1", "port": 22, "user": "john", "password": "hunter2", "sudo": true, "agent": false, "timeout": nil,
		"private_key": nil, "private_key_path": nil, "private_key_env_var": nil,
	})
	system := func(typeName, name string, more map[string]any, sensitive ...string) {
		all := map[string]any{"id": at(name), "path": at(name), "user": "root", "uid": 0, "group": "root", "gid": 0}
		if typeName != "system_link" {
			all["basename"], all["mode"] = name, "600"
		}
		if typeName == "system_file" {
			all["content"], all["content_sensitive"], all["source"], all["md5sum"] = nil, nil, nil, "sZRqySSS0jR8YjW00mERhA=="
		}
		maps.Copy(all, more)
		s.Add("neuspaces/system", typeName, name, 1, all, sensitive...)
	}
	system("system_file", "file", map[string]any{"content": "file\n"})
	system("system_file", "sensitive", map[string]any{"content_sensitive": "sensitive\n"}, "content_sensitive")
	system("system_file", "source", map[string]any{"source": "etag=1f0", "mode": "644"})
	system("system_file", "edited", map[string]any{"content": "before\n", "mode": "644"})
	system("system_folder", "directory", map[string]any{"mode": "750"})
	system("system_link", "link", map[string]any{"target": "directory"})
	w.Write("terraform.tfstate", s.JSON(t))
	w.Write("source", "source\n")

	block := func(from, to, name, more string) string {
		return strings.NewReplacer("FROM", from, "TO", to, "NAME", name, "MORE", more).Replace(`
moved {
  from = FROM.NAME
  to   = TO.NAME
}
resource "TO" "NAME" {
  host = "web1"
  path = "DIR/NAME"
  MORE
}
`)
	}
	config := resourcetest.SSHBlock(t, server, key, "", "web1") +
		block("remote_file", "posix_file", "remote", "content = \"remote\\n\"\n  mode = \"0640\"") +
		block("remote_file", "posix_file", "conn", `content = "conn\n"`) +
		block("system_file", "posix_file", "file", "content = \"file\\n\"\n  mode = \"0600\"") +
		block("system_file", "posix_file", "sensitive", "content = sensitive(\"sensitive\\n\")\n  mode = \"0600\"") +
		block("system_file", "posix_file", "source", `source = "${path.module}/source"`) +
		block("system_folder", "posix_directory", "directory", `mode = "0750"`) +
		block("system_link", "posix_symlink", "link", `target = "directory"`)
	edited := func(content string) string {
		return block("system_file", "posix_file", "edited", "content = \""+content+"\\n\"\n")
	}
	w.Write("main.tf", resourcetest.Expand(dir, config+edited("after")))
	r := w.Do([]int{2}, "plan", "-no-color", "-detailed-exitcode")
	for _, text := range []string{
		"Plan: 0 to add, 8 to change, 0 to destroy.", "(moved from remote_file.conn)", `+ host = "web1"`, "Content no longer hidden",
		"- before + after",
	} {
		if !strings.Contains(resourcetest.OneLine(r.Output), text) {
			t.Errorf("the plan lacks %q:\n%s", text, r.Output)
		}
	}
	for _, text := range []string{"must be replaced", "hunter2"} {
		if strings.Contains(r.Output, text) {
			t.Errorf("the plan has %q:\n%s", text, r.Output)
		}
	}

	// The plan of a moved object detects a change by another program, although the refresh does not read the object.
	resourcetest.Must(t, resourcetest.Put(at("edited"), "by hand\n", 0o644))
	r = w.Do([]int{1}, "plan", "-no-color")
	if want := at("edited") + " already exists on host web1"; !strings.Contains(resourcetest.OneLine(r.Output), want) {
		t.Errorf("the plan lacks %q:\n%s", want, r.Output)
	}
	resourcetest.Must(t, resourcetest.Put(at("edited"), "before\n", 0o644))

	w.Do(nil, "apply", "-no-color", "-auto-approve")
	for name, now := range resourcetest.Inodes(t, dir, names...) {
		if was := before[name]; !os.SameFile(was, now) || !was.ModTime().Equal(now.ModTime()) || was.Mode() != now.Mode() {
			t.Errorf("%s was replaced or changed, want it unchanged", name)
		}
	}
	if text, err := os.ReadFile(at("edited")); err != nil || string(text) != "after\n" {
		t.Errorf("edited has %q (%v), want %q", text, err, "after\n")
	}

	// The other providers are no longer needed, and drift is detected.
	withdrawRemote()
	withdrawSystem()
	w.Do(nil, "plan", "-no-color", "-detailed-exitcode")
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	resourcetest.Must(t, err)
	for _, text := range []string{"tenstad", "neuspaces", "hunter2"} {
		if strings.Contains(string(state), text) {
			t.Errorf("the state still has %q", text)
		}
	}
	resourcetest.Must(t, resourcetest.Put(at("conn"), "drifted\n", 0o644), os.Remove(at("directory/kept")))
	r = w.Do([]int{2}, "plan", "-no-color", "-detailed-exitcode")
	if want := "Plan: 0 to add, 1 to change, 0 to destroy."; !strings.Contains(r.Output, want) {
		t.Errorf("the plan lacks %q:\n%s", want, r.Output)
	}
	w.Do(nil, "destroy", "-no-color", "-auto-approve")
	resourcetest.Must(t, resourcetest.OnDisk(dir, map[string]string{}))
}

// TestAccGuideOfRemotes runs the configuration of the guide for tenstad/remote and neuspaces/system.
func TestAccGuideOfRemotes(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	byName := map[string]host.Host{}
	for _, name := range []string{"web1", "web2"} {
		byName[name] = memory.New(memory.Config{Name: name, Users: []host.User{{Name: "root"}}, Groups: []host.Group{{Name: "root"}, {Name: "app", GID: 101}}})
	}
	on := func(name, path, content string, mode host.Mode) {
		_, err := host.MakeParents(t.Context(), byName[name], path, host.Attributes{})
		resourcetest.Must(t, err)
		_, err = byName[name].WriteFile(t.Context(), path, strings.NewReader(content), host.WriteOptions{Attributes: host.Attributes{Mode: &mode}})
		resourcetest.Must(t, err)
	}
	on("web1", "/etc/motd", "Welcome\n", 0o644)
	on("web2", "/etc/app/app.conf", "workers = 4\n", 0o640)
	on("web2", "/srv/data/kept", "kept\n", 0o644)
	_, err := byName["web2"].SetAttributes(t.Context(), "/srv/data", host.TypeUnknown, host.Attributes{Mode: new(host.Mode(0o750))})
	resourcetest.Must(t, err)
	_, err = byName["web2"].Symlink(t.Context(), "releases/42", "/srv/current")
	resourcetest.Must(t, err)

	w := acctest.NewServedWorkdir(t, "posix", resourcetest.ProviderOf(types, hosts.Backends{
		Local:  func() (host.Host, error) { return memory.New(memory.Config{Name: host.LocalName}), nil },
		Remote: func(o sshhost.Options) (host.Host, error) { return byName[o.Name], nil },
	}))
	w.Serve("tenstad/remote", remoteProvider().New)
	w.Serve("neuspaces/system", systemProvider().New)
	var s resourcetest.RecordedState
	s.Add("tenstad/remote", "remote_file", "motd", 0, map[string]any{"conn": []any{}, "path": "/etc/motd", "content": "Welcome\n", "permissions": "0644"})
	s.Add("neuspaces/system", "system_file", "app", 1, map[string]any{"path": "/etc/app/app.conf", "content": "workers = 4\n", "mode": "640", "user": "root", "group": "app"})
	s.Add("neuspaces/system", "system_folder", "data", 1, map[string]any{"path": "/srv/data", "mode": "750"})
	s.Add("neuspaces/system", "system_link", "current", 1, map[string]any{"path": "/srv/current", "target": "releases/42"})
	w.Write("terraform.tfstate", s.JSON(t))
	w.Write("main.tf", resourcetest.ExampleFile(t, "guides/remotes/main.tf"))
	resourcetest.WantTexts(t, w.Do(nil, "apply", "-auto-approve", "-no-color").Output, "0 added, 4 changed, 0 destroyed")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}
