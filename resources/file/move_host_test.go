package file_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// sourceProviders maps resource types whose state has no host to their providers.
var sourceProviders = map[string]string{
	"remote_file": "tenstad/remote", "system_file": "neuspaces/system", "system_folder": "neuspaces/system", "system_link": "neuspaces/system",
}

// moveInto moves the state of a type in sourceProviders to o in a new run, and refreshes o.
func moveInto(o *resourcetest.Object, typeName string, state map[string]any) diag.Diagnostics {
	o.T.Helper()
	raw, err := json.Marshal(state)
	resourcetest.Must(o.T, err)
	o.NextRun()
	diags := o.Move(provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.opentofu.org/" + sourceProviders[typeName], SourceTypeName: typeName, SourceSchemaVersion: 1,
		SourceStateJSON: raw,
	})
	if !diags.HasErrors() {
		o.Refresh()
	}
	return diags
}

// moveCase is an existing object, its state in the old provider, and the configuration.
type moveCase struct {
	typeName, from string
	there          attrs
	state          map[string]any
	set            attrs
}

func moveCases() map[string]moveCase {
	conn := []any{map[string]any{"host": "10.0.0.12", "port": 22, "user": "john", "password": "hunter2", "sudo": true, "private_key": nil}}
	return map[string]moveCase{
		"remote_file": {
			"posix_file", "remote_file",
			attrs{"path": str("/motd"), "content": str("hello\n")},
			map[string]any{"id": "10.0.0.12:22:/motd", "conn": conn, "path": "/motd", "content": "hello\n", "permissions": "0644", "owner": "1000", "group_name": "staff"},
			attrs{"path": str("/motd"), "content": str("hello\n")},
		},
		"system_file": {
			"posix_file", "system_file",
			attrs{"path": str("/motd"), "content": str("hello\n"), "mode": str("0600")},
			map[string]any{"id": "/motd", "path": "/motd", "content": nil, "content_sensitive": "hello\n", "mode": "600", "user": "root", "uid": 0, "group": "root", "gid": 0, "source": nil, "md5sum": "sZRqySSS0jR8YjW00mERhA==", "basename": "motd"},
			attrs{"path": str("/motd"), "content": str("hello\n"), "mode": str("0600"), "owner": str("root")},
		},
		"system_folder": {
			"posix_directory", "system_folder",
			attrs{"path": str("/app"), "mode": str("0750")},
			map[string]any{"id": "/app", "path": "/app", "mode": "750", "user": "root", "uid": 0, "group": "root", "gid": 0, "basename": "app"},
			attrs{"path": str("/app"), "mode": str("0750"), "owner": str("root")},
		},
		"system_link": {
			"posix_symlink", "system_link",
			attrs{"path": str("/current"), "target": str("v1")},
			map[string]any{"id": "/current", "path": "/current", "target": "v1", "user": "root", "uid": 0, "group": "root", "gid": 0},
			attrs{"path": str("/current"), "target": str("v1")},
		},
	}
}

// with returns a copy of set with the attributes of more.
func with(set attrs, more attrs) attrs {
	set = maps.Clone(set)
	maps.Copy(set, more)
	return set
}

// TestMoveToConfiguredHost checks that an object whose state has no host gets the configured
// host, or the default one if none is configured, and is not replaced.
func TestMoveToConfiguredHost(t *testing.T) {
	t.Parallel()
	for name, a := range moveCases() {
		for _, host := range []cty.Value{str("web"), cty.NullVal(cty.String)} {
			t.Run(name+strings.TrimPrefix(host.GoString(), "cty."), func(t *testing.T) {
				t.Parallel()
				on := "db"
				if !host.IsNull() {
					on = host.AsString()
				}
				f := newFleet(t, attrs{"default_host": str("db")}, map[string]attrs{"web": {}, "db": {}})
				resourcetest.NewObject(t, f, a.typeName).Apply(with(a.there, attrs{"host": str(on)}))
				set := with(a.set, attrs{"host": host})
				o := resourcetest.NewObject(t, f, a.typeName)
				if warned, diags := name == "system_file", moveInto(o, a.from, a.state); diags.HasErrors() || len(diags) > 0 != warned {
					t.Fatal(diags)
				}
				o.WantAttrs(attrs{"host": cty.NullVal(cty.String)})
				plan := o.Plan(set)
				if plan.Diagnostics.HasErrors() || len(plan.RequiresReplace) > 0 {
					t.Fatalf("the plan replaces the object because of %v and has the diagnostics %v, want no replacement and no errors", plan.RequiresReplace, plan.Diagnostics)
				}
				o.Apply(set)
				o.WantAttrs(attrs{"host": str(on)})
				if !o.Identity.RawEquals(cty.ObjectVal(attrs{"host": str(on), "path": a.set["path"]})) {
					t.Errorf("identity %#v, want the host %s and the path %#v", o.Identity, on, a.set["path"])
				}
				// From then on, the object is managed like any other.
				if o.Private != nil && strings.Contains(string(o.Private), "host_open") {
					t.Errorf("private data still has host_open: %s", o.Private)
				}
				if plan := o.Plan(with(set, attrs{"host": str("root@elsewhere:22")})); len(plan.RequiresReplace) != 1 {
					t.Errorf("a change of the host after the move replaces the object because of %v, want one path", plan.RequiresReplace)
				}
				if diags := o.Destroy(); diags.HasErrors() {
					t.Error(diags)
				}
			})
		}
	}
}

// TestMoveToWrongHost checks that an object that differs from both the state and the configuration,
// or does not exist, is an error: the host may be wrong.
func TestMoveToWrongHost(t *testing.T) {
	t.Parallel()
	changed := map[string]attrs{
		"posix_file": {"content": str("something else\n")}, "posix_directory": {"mode": str("0700")}, "posix_symlink": {"target": str("v2")},
	}
	wanted := map[string]attrs{
		"posix_file": {"content": str("new\n")}, "posix_directory": {"mode": str("0755")}, "posix_symlink": {"target": str("v3")},
	}
	for name, a := range moveCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, nil, map[string]attrs{"web": {}, "db": {}})
			there := resourcetest.NewObject(t, f, a.typeName)
			there.Apply(with(a.there, attrs{"host": str("web")}))
			if a.typeName == "posix_directory" {
				resourcetest.NewObject(t, f, "posix_file").Apply(attrs{"host": str("web"), "path": str("/app/file"), "content": str("x")})
			}
			on := func(host string, more attrs) attrs { return with(with(a.set, attrs{"host": str(host)}), more) }
			moved := func() *resourcetest.Object {
				o := resourcetest.NewObject(t, f, a.typeName)
				if diags := moveInto(o, a.from, a.state); diags.HasErrors() {
					t.Fatal(diags)
				}
				return o
			}
			o := moved()
			path := a.set["path"].AsString()
			resourcetest.WantError(t, o.Plan(on("db", nil)).Diagnostics, "host", path+" does not exist on host db", "state rm")
			resourcetest.WantError(t, o.Plan(on("web", attrs{"path": str("/other")})).Diagnostics, "path", path)
			resourcetest.WantError(t, o.Destroy(), "", path, "state rm")

			// A planned change is made.
			o = moved()
			o.Apply(on("web", wanted[a.typeName]))
			o.WantAttrs(wanted[a.typeName])

			there.Apply(with(with(a.there, attrs{"host": str("web")}), changed[a.typeName]))
			o = moved()
			resourcetest.WantError(t, o.Plan(on("web", nil)).Diagnostics, "path", path, "already exists on host web")
			if diags := o.Plan(on("web", changed[a.typeName])).Diagnostics; diags.HasErrors() {
				t.Errorf("the plan for an object that matches the configuration has %v, want no errors", diags)
			}
			if a.typeName == "posix_file" { // of the three types, only posix_file has overwrite
				o.Apply(on("web", attrs{"write_options": options(attrs{"overwrite": cty.True})}))
				o.WantAttrs(attrs{"content": a.set["content"], "write_options": options(attrs{"overwrite": cty.True})})
			}
		})
	}
}

// TestMoveWithoutPrivateData checks that an object whose state has no host is neither read nor deleted on the default
// host if the private data was lost, because the provider was killed during the first apply.
func TestMoveWithoutPrivateData(t *testing.T) {
	t.Parallel()
	for name, a := range moveCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, attrs{"default_host": str("db")}, map[string]attrs{"web": {}, "db": {}})
			for _, on := range []string{"web", "db"} {
				resourcetest.NewObject(t, f, a.typeName).Apply(with(a.there, attrs{"host": str(on)}))
			}
			o := resourcetest.NewObject(t, f, a.typeName)
			if diags := moveInto(o, a.from, a.state); diags.HasErrors() {
				t.Fatal(diags)
			}
			o.Private = nil
			o.Refresh()
			o.WantAttrs(attrs{"host": cty.NullVal(cty.String)})
			resourcetest.WantError(t, o.Destroy(), "", a.set["path"].AsString(), "state rm")
			o.Apply(with(a.set, attrs{"host": str("web")}))
			o.WantAttrs(attrs{"host": str("web")})
		})
	}
}

func TestMoveWithoutAHostErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from    string
		state   map[string]any
		mention string
	}{
		"relative file path":       {"remote_file", map[string]any{"path": "notes.txt", "content": "hunter2"}, "absolute"},
		"invalid file permissions": {"remote_file", map[string]any{"path": "/a", "content": "hunter2", "permissions": "rw"}, "octal"},
		"relative directory path":  {"system_folder", map[string]any{"path": "app"}, "absolute"},
		"invalid directory mode":   {"system_folder", map[string]any{"path": "/app", "mode": "rwx"}, "octal"},
		"relative link path":       {"system_link", map[string]any{"path": "a", "target": "b"}, "absolute"},
		"empty link target":        {"system_link", map[string]any{"path": "/a", "target": ""}, "target"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			into := map[string]string{"remote_file": "posix_file", "system_folder": "posix_directory", "system_link": "posix_symlink"}[tt.from]
			diags := moveInto(resourcetest.NewObject(t, resourcetest.New(t, types), into), tt.from, tt.state)
			resourcetest.WantError(t, diags, "", "Cannot move "+tt.from+" to "+into, tt.mention)
			if strings.Contains(diags.Error(), "hunter2") {
				t.Error("a message contains the content")
			}
		})
	}
}

// newFleet returns a provider with these hosts in memory.
func newFleet(t *testing.T, all attrs, named map[string]attrs) *resourcetest.Fleet {
	t.Helper()
	return resourcetest.NewFleet(t, resourcetest.ProviderOf(types, new(resourcetest.RemoteHosts).Hosts(t)), all, named)
}
