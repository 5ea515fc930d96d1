package resources_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
)

// machines are hosts in memory.
type machines struct {
	mu     sync.Mutex
	down   map[string]bool // addresses that do not answer
	asked  int             // how often of those
	closed int
}

// address is where options lead to.
func address(o sshhost.Options) string {
	if o.Via != nil {
		return o.Via.Name() + "/" + o.Address
	}
	return o.Address
}

// reached is a connection to a machine.
type reached struct {
	host.Host
	host.Dialer
	all *machines
}

func (r *reached) Close() error {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	r.all.closed++
	return nil
}

func (m *machines) remote(o sshhost.Options) (host.Host, error) {
	at := address(o)
	return &reached{all: m, Host: memory.New(memory.Config{
		Name:  o.Name,
		Users: []host.User{{Name: "root"}, {Name: "www-data", UID: 33, GID: 33}},
		Fault: func(string, string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if !m.down[at] {
				return nil
			}
			m.asked++
			return host.ErrUnreachable
		},
	})}, nil
}

// fleet is a provider of such machines, which has its configuration whenever it
// is configured.
type fleet struct {
	provider.Interface
	body   *configschema.Block
	config cty.Value
}

func (f *fleet) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	req.Config = f.config
	return f.Interface.ConfigureProvider(ctx, req)
}

// newFleet makes it; each host keeps what is on it from one run to the next.
func newFleet(t *testing.T, m *machines, all attrs, named map[string]attrs) *fleet {
	t.Helper()
	kept := map[string]host.Host{}
	var mu sync.Mutex
	p, err := resources.BuildFleet(hosts.Machines{
		Local: func() (host.Host, error) { return memory.New(memory.Config{Name: host.LocalName}), nil },
		Remote: func(o sshhost.Options) (host.Host, error) {
			mu.Lock()
			defer mu.Unlock()
			h, err := kept[o.Name], error(nil)
			if h == nil {
				h, err = m.remote(o)
				kept[o.Name] = h
			}
			return h, err
		},
		Environ: func() (sshconfig.Env, error) {
			return sshconfig.Env{User: "me", Home: t.TempDir(), Getenv: func(string) (string, bool) { return "", false }}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{Interface: guard.Wrap(p)}
	f.body = f.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body
	f.set(all, named)
	configure(t, f)
	return f
}

// set changes the configuration of the next run.
func (f *fleet) set(all attrs, named map[string]attrs) {
	complete := func(set attrs, of map[string]*configschema.Attribute) cty.Value {
		values := (&configschema.Block{Attributes: of}).EmptyValue().AsValueMap()
		maps.Copy(values, set)
		return cty.ObjectVal(values)
	}
	all = maps.Clone(all)
	if all == nil {
		all = attrs{}
	}
	if named != nil {
		elements := attrs{}
		for name, set := range named {
			elements[name] = complete(set, f.body.Attributes["hosts"].NestedType.Attributes)
		}
		all["hosts"] = cty.MapVal(elements)
	}
	f.config = complete(all, f.body.Attributes)
}

func TestHostsOfResources(t *testing.T) {
	t.Parallel()
	f := newFleet(t, &machines{}, attrs{"default_host": str("web")}, map[string]attrs{
		"web": {"address": str("192.0.2.1")}, "db": {"proxy_jump": cty.ListVal([]cty.Value{str("web")})},
	})
	for _, typeName := range []string{"posix_file", "posix_directory", "posix_symlink"} {
		for _, name := range []string{"", "web", "db", "local", "root@[::1]:2222", "web.example.com:22"} {
			o := newObject(t, f, typeName)
			set := attrs{"path": str("/" + typeName + strings.NewReplacer("@", "-", "[", "", "]", "", ":", "-").Replace(name))}
			switch typeName {
			case "posix_file":
				set["content"] = str("x\n")
			case "posix_symlink":
				set["target"] = str("/x")
			}
			want := name
			if name != "" {
				set["host"] = str(name)
			} else {
				want = "web"
			}
			o.apply(set)
			o.wantAttrs(attrs{"host": str(want)})
			path := set["path"].AsString()
			o.forget()
			if diags := o.imports(want+":"+path, cty.NilVal); diags.HasErrors() {
				t.Fatal(diags)
			}
			o.noChange(set)
			o.forget()
			if diags := o.imports("", cty.ObjectVal(attrs{"host": str(want), "path": str(path)})); diags.HasErrors() {
				t.Fatal(diags)
			}
			o.noChange(set)
			if diags := o.destroy(); diags.HasErrors() {
				t.Fatal(diags)
			}
		}
		o := newObject(t, f, typeName)
		set := attrs{"path": str("/x")}
		switch typeName {
		case "posix_file":
			set["content"] = str("x\n")
		case "posix_symlink":
			set["target"] = str("/x")
		}
		for name, words := range map[string]string{
			"wbe": "The provider has: db, web, local", "root@": "empty", "a b": "no name", "-oProxyCommand=x": "no name", "::1": "brackets", "web:99999": "1 to 65535", "": "empty",
		} {
			set["host"] = str(name)
			plan := o.plan(set)
			wantError(t, plan.Diagnostics, "host", words)
			if name != "wbe" { // that of which the form is wrong needs no configured provider to be found
				wantError(t, o.validate(set), "host", words)
			}
		}
	}
	if diags := newFile(t).imports("a b:/x", cty.NilVal); !diags.HasErrors() {
		t.Error("an import id with a host that there cannot be")
	}
}

// Whatever has a host wants it named in a form that there is, in validation.
func TestHostRule(t *testing.T) {
	t.Parallel()
	p := newPosix(t)
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	for family, types := range map[string]map[string]provider.Schema{
		"resource": schema.ResourceTypes, "data source": schema.DataSources, "ephemeral resource": schema.EphemeralResourceTypes,
	} {
		for name, s := range types {
			if s.Body.Attributes["host"] == nil {
				t.Errorf("the %s %s has no host", family, name)
				continue
			}
			config := s.Body.EmptyValue().AsValueMap()
			config["host"] = str("a b")
			var diags diag.Diagnostics
			switch family {
			case "resource":
				diags = p.ValidateResourceConfig(t.Context(), provider.ValidateResourceConfigRequest{TypeName: name, Config: cty.ObjectVal(config)}).Diagnostics
			case "data source":
				diags = p.ValidateDataResourceConfig(t.Context(), provider.ValidateDataResourceConfigRequest{TypeName: name, Config: cty.ObjectVal(config)}).Diagnostics
			default:
				diags = p.ValidateEphemeralResourceConfig(t.Context(), provider.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: cty.ObjectVal(config)}).Diagnostics
			}
			wantError(t, diags, "host", "no name or address")
			if !strings.Contains(s.Body.Attributes["host"].Description, "root@192.0.2.7:22") {
				t.Errorf("the %s %s does not say what names a host", family, name)
			}
		}
	}
}

// A machine that is created in the same run has no address yet. Nothing that is
// planned to be created on it needs one.
func TestHostNotKnownYet(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	m := &machines{}
	f := newFleet(t, m, nil, map[string]attrs{"new": {"address": unknown}, "old": {}})
	for typeName, set := range map[string]attrs{
		"posix_file":      {"content": str("x\n"), "owner": str("www-data"), "mode": str("0600")},
		"posix_directory": {"owner": str("www-data"), "group": str("root")},
		"posix_symlink":   {"target": str("/x")},
	} {
		o := newObject(t, f, typeName)
		set["host"], set["path"] = str("new"), str("/"+typeName)
		f.set(nil, map[string]attrs{"new": {"address": unknown}})
		o.nextRun()
		plan := o.plan(set)
		if len(plan.Diagnostics) > 0 || plan.Deferred != nil {
			t.Fatalf("%s: %v, deferred %v", typeName, plan.Diagnostics, plan.Deferred)
		}
		if got := plan.PlannedState.GetAttr("host"); !got.RawEquals(str("new")) {
			t.Errorf("%s: planned on host %#v", typeName, got)
		}
		// Now there is one.
		f.set(nil, map[string]attrs{"new": {"address": str("192.0.2.9")}})
		o.nextRun()
		if diags := o.applyPlan(set, plan); diags.HasErrors() {
			t.Fatal(diags)
		}
		o.noChange(set)

		// The machine is about to be replaced: what is on it cannot be read.
		f.set(attrs{"private_key": unknown}, map[string]attrs{"new": {"address": unknown}})
		o.nextRun()
		wantError(t, o.read(), "", "host cannot be reached yet", `hosts["new"].address, private_key`, "-target", "new")
		resp := f.ReadResource(t.Context(), provider.ReadResourceRequest{
			TypeName: typeName, PriorState: o.state, Private: o.private, CurrentIdentity: o.identity,
			ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: true},
		})
		if resp.Deferred == nil || resp.Deferred.Reason != provider.DeferredReasonProviderConfigUnknown || resp.Diagnostics.HasErrors() {
			t.Errorf("%s: deferred %v, %v", typeName, resp.Deferred, resp.Diagnostics)
		}
		// Without having been read, a change can be planned still.
		if typeName != "posix_symlink" {
			set["mode"] = str("0700")
		} else {
			set["target"] = str("/y")
		}
		if plan := o.plan(set); len(plan.Diagnostics) > 0 {
			t.Errorf("%s: %v", typeName, plan.Diagnostics)
		}
		wantError(t, o.imports("new:/other", cty.NilVal), "", "host cannot be reached yet")
	}
	o := newObject(t, f, "posix_command")
	if plan := o.plan(attrs{"host": str("new"), "create": str("true"), "delete": str("true")}); len(plan.Diagnostics) > 0 {
		t.Errorf("posix_command: %v", plan.Diagnostics)
	}
	// What all of them are is not known either.
	f.set(attrs{"hosts": cty.UnknownVal(f.body.Attributes["hosts"].NestedType.ImpliedType())}, nil)
	o = newObject(t, f, "posix_file")
	o.nextRun()
	set := attrs{"host": str("any"), "path": str("/x"), "content": str("x"), "owner": str("www-data")}
	if plan := o.plan(set); len(plan.Diagnostics) > 0 {
		t.Error(plan.Diagnostics)
	}
	set["host"] = str("local")
	wantError(t, o.plan(set).Diagnostics, "owner", "no user")
}

// What only looks has to wait for the host, or says what for.
func TestLookAtHostNotKnownYet(t *testing.T) {
	t.Parallel()
	f := newFleet(t, &machines{}, nil, map[string]attrs{"new": {"address": cty.UnknownVal(cty.String)}})
	schema := f.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	config := func(s provider.Schema) cty.Value {
		set := s.Body.EmptyValue().AsValueMap()
		set["host"] = str("new")
		if set["path"] != cty.NilVal {
			set["path"] = str("/x")
		}
		if set["command"] != cty.NilVal {
			set["command"] = str("true")
		}
		if set["uid"] != cty.NilVal { // or a name
			set["name"] = str("x")
		}
		if set["target_socket"] != cty.NilVal {
			set["target_socket"] = str("/run/x")
		}
		return cty.ObjectVal(set)
	}
	for name, s := range schema.DataSources {
		for _, allowed := range []bool{false, true} {
			resp := f.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{
				TypeName: name, Config: config(s), ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: allowed},
			})
			if !allowed {
				wantError(t, resp.Diagnostics, "", `hosts["new"].address`, "-target")
			} else if resp.Deferred == nil || len(resp.Diagnostics) > 0 {
				t.Errorf("the data source %s: deferred %v, %v", name, resp.Deferred, resp.Diagnostics)
			}
		}
	}
	for name, s := range schema.EphemeralResourceTypes {
		for _, allowed := range []bool{false, true} {
			resp := f.OpenEphemeralResource(t.Context(), provider.OpenEphemeralResourceRequest{
				TypeName: name, Config: config(s), ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: allowed},
			})
			if !allowed {
				wantError(t, resp.Diagnostics, "", `hosts["new"].address`, "-target")
			} else if resp.Deferred == nil || len(resp.Diagnostics) > 0 {
				t.Errorf("the ephemeral resource %s: deferred %v, %v", name, resp.Deferred, resp.Diagnostics)
			}
		}
	}
}

// A machine whose address is known may not be there yet. What is to be created on
// it can be planned, and that it cannot be reached is found out once.
func TestHostNotThereYet(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typeName string
		set      attrs
	}{
		"file":           {"posix_file", attrs{"content": str("x\n")}},
		"file, owner":    {"posix_file", attrs{"content": str("x\n"), "owner": str("www-data")}},
		"directory":      {"posix_directory", attrs{}},
		"directory, too": {"posix_directory", attrs{"owner": str("www-data")}},
		"symlink":        {"posix_symlink", attrs{"target": str("/x")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &machines{down: map[string]bool{"new": true}}
			f := newFleet(t, m, nil, map[string]attrs{"new": {}})
			o := newObject(t, f, tt.typeName)
			set := maps.Clone(tt.set)
			set["host"], set["path"] = str("new"), str("/x")
			plan := o.plan(set)
			if len(plan.Diagnostics) != 1 || plan.Diagnostics[0].Severity != diag.Warning || !strings.Contains(plan.Diagnostics[0].Detail, "host new") {
				t.Fatalf("planned with %v, want a warning", plan.Diagnostics)
			}
			m.asked = 0
			set["path"] = str("/y")
			if plan = o.plan(set); len(plan.Diagnostics) > 0 || m.asked > 0 {
				t.Errorf("asked again %d times: %v", m.asked, plan.Diagnostics)
			}
			wantError(t, o.applyPlan(set, plan), "", "not reachable", "new")
			// What is there already has to be read.
			m.down["new"] = false
			o.forget()
			o.apply(set)
			m.down["new"] = true
			wantError(t, o.read(), "", "not reachable", "new")
			if tt.typeName != "posix_symlink" { // of which nothing is looked up
				set["group"] = str("33")
				wantError(t, o.plan(set).Diagnostics, "", "not reachable", "new")
			}
		})
	}
}

// While objects are created, what is planned is what is created next, and that
// looks by itself: over a slow line, a second look would cost as much.
func TestOneLookWhileCreating(t *testing.T) {
	t.Parallel()
	m := &machines{down: map[string]bool{}}
	f := newFleet(t, m, nil, map[string]attrs{"web": {}})
	at := func(path string) attrs { return attrs{"host": str("web"), "path": str(path), "content": str("x")} }
	one, two := newObject(t, f, "posix_file"), newObject(t, f, "posix_file")
	if diags := one.applyPlan(at("/one"), one.plan(at("/one"))); len(diags) > 0 {
		t.Fatal(diags)
	}
	m.down["web"] = true
	plan := two.plan(at("/two"))
	if len(plan.Diagnostics) > 0 || m.asked > 0 {
		t.Errorf("asked %d times: %v", m.asked, plan.Diagnostics)
	}
	wantError(t, two.applyPlan(at("/two"), plan), "", "not reachable", "web")
}

// The provider's end is that of its connections.
func TestHostsAreClosed(t *testing.T) {
	t.Parallel()
	m := &machines{}
	f := newFleet(t, m, nil, map[string]attrs{"a": {}, "b": {}, "c": {}})
	var o *object
	for _, name := range []string{"a", "b"} {
		o = newObject(t, f, "posix_file")
		o.apply(attrs{"host": str(name), "path": str("/x"), "content": str("x")})
	}
	if err := f.Close(); err != nil || m.closed != 2 {
		t.Errorf("closed: %d (%v)", m.closed, err)
	}
	wantError(t, o.read(), "", "configured")
}
