package hosts_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = map[string]cty.Value

// configurable returns a provider without resource types, and the schema of its configuration.
func configurable(t *testing.T, w *world) (provider.Interface, *configschema.Block) {
	t.Helper()
	p, err := runtime.New(runtime.Definition{
		Name: "posix",
		Config: runtime.MakeConfig(func(_ context.Context, block *hosts.Provider) (*lifecycle.Hosts, error) {
			return w.hosts(t, *block), nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	p = guard.Wrap(p)
	return p, p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body
}

// complete returns an object with the given attributes. All others are null.
func complete(set attrs, all map[string]*configschema.Attribute) cty.Value {
	values := attrs{}
	for name, a := range all {
		ty := a.Type
		if a.NestedType != nil {
			ty = a.NestedType.ImpliedType()
		}
		values[name] = cty.NullVal(ty)
	}
	for name, v := range set {
		if values[name] == cty.NilVal {
			panic("no attribute " + name)
		}
		values[name] = v
	}
	return cty.ObjectVal(values)
}

// block returns a provider configuration with the attributes all and, unless web is nil, a host named
// web.
func block(body *configschema.Block, all, web attrs) cty.Value {
	set := attrs{}
	maps.Copy(set, all)
	if web != nil {
		set["hosts"] = cty.MapVal(attrs{"web": complete(web, body.Attributes["hosts"].NestedType.Attributes)})
	}
	return complete(set, body.Attributes)
}

func str(s string) cty.Value { return cty.StringVal(s) }

func strs(texts ...string) cty.Value {
	var values []cty.Value
	for _, text := range texts {
		values = append(values, cty.StringVal(text))
	}
	return cty.ListVal(values)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	p, body := configurable(t, &world{})
	const secret = "hunter2"
	unknown := cty.UnknownVal(cty.String)
	web := body.Attributes["hosts"].NestedType
	host := func(set attrs) cty.Value { return complete(set, web.Attributes) }
	many := func(m attrs) attrs { return attrs{"hosts": cty.MapVal(m)} }
	for name, tt := range map[string]struct {
		all, web attrs
		at       string // the attribute that the error is about; empty for no error
		want     string
	}{
		"nothing":     {},
		"empty hosts": {all: attrs{"hosts": cty.MapValEmpty(web.ImpliedType().ElementType())}},
		"all known": {web: attrs{
			"address": str("192.0.2.1"), "port": cty.NumberIntVal(22), "user": str("root"), "known_hosts": strs("# x"), "proxy_jump": strs("root@gate:22"),
			"connect_timeout": str("5s"), "agent": cty.True, "agent_socket": str("/x"), "host_key_policy": str("accept_new"),
		}},
		"all unknown": {web: attrs{
			"address": unknown, "port": cty.UnknownVal(cty.Number), "private_key": unknown, "host_key": cty.UnknownVal(cty.List(cty.String)),
			"known_hosts": cty.ListVal([]cty.Value{unknown}), "host_key_policy": unknown, "proxy_jump": cty.ListVal([]cty.Value{unknown}), "connect_timeout": unknown,
		}},
		"unknown hosts": {all: attrs{"hosts": cty.UnknownVal(web.ImpliedType())}},
		"unknown host":  {all: many(attrs{"web": cty.UnknownVal(web.ImpliedType().ElementType())})},
		"IPv6":          {web: attrs{"address": str("fe80::1")}},

		"local":                  {all: many(attrs{"local": host(nil)}), at: `hosts["local"]`, want: "host that the provider runs on"},
		"name with a slash":      {all: many(attrs{"a/b": host(nil)}), at: `hosts["a/b"]`, want: "letters"},
		"name with @":            {all: many(attrs{"a@b": host(nil)}), at: `hosts["a@b"]`, want: "letters"},
		"default":                {all: attrs{"default_host": str("-x")}, at: "default_host", want: "not a valid host name or address"},
		"no connections":         {all: attrs{"max_connections": cty.Zero}, at: "max_connections", want: "1 or more"},
		"port 0":                 {web: attrs{"port": cty.Zero}, at: `hosts["web"].port`, want: "from 1 to 65535"},
		"port for all":           {all: attrs{"port": cty.NumberIntVal(99999)}, at: "port", want: "from 1 to 65535"},
		"user":                   {web: attrs{"user": str("-l")}, at: `hosts["web"].user`, want: "not a valid user name"},
		"address with port":      {web: attrs{"address": str("web:22")}, at: `hosts["web"].address`, want: "use the attributes user and port"},
		"address with user":      {web: attrs{"address": str("root@web")}, at: `hosts["web"].address`, want: "use the attributes user and port"},
		"address local":          {web: attrs{"address": str("local")}, at: `hosts["web"].address`, want: "localhost"},
		"two keys":               {web: attrs{"private_key": str(secret), "private_key_path": str("/k")}, at: `hosts["web"].private_key_path`, want: "Only one of"},
		"invalid key":            {all: attrs{"private_key": str(secret)}, at: "private_key", want: "must be a private key"},
		"two certificates":       {all: attrs{"certificate": str("c"), "certificate_path": str("/c")}, at: "certificate_path", want: "Only one of"},
		"invalid certificate":    {all: attrs{"certificate": str("c")}, at: "certificate", want: "must be a certificate"},
		"empty path":             {all: attrs{"ssh_config": str("")}, at: "ssh_config", want: "empty"},
		"empty key path":         {web: attrs{"private_key_path": str("")}, at: `hosts["web"].private_key_path`, want: "empty"},
		"empty certificate path": {web: attrs{"certificate_path": str("")}, at: `hosts["web"].certificate_path`, want: "empty"},
		"empty socket":           {web: attrs{"agent_socket": str("")}, at: `hosts["web"].agent_socket`, want: "empty"},
		"empty known hosts file": {web: attrs{"known_hosts_files": strs("/x", "")}, at: `hosts["web"].known_hosts_files[1]`, want: "empty"},
		"agent":                  {web: attrs{"agent": cty.False, "agent_socket": str("/x")}, at: `hosts["web"].agent_socket`, want: "agent is false"},
		"policy":                 {web: attrs{"host_key_policy": str("no")}, at: `hosts["web"].host_key_policy`, want: `"strict", "accept_new" or "insecure"`},
		"pinned and insecure":    {web: attrs{"host_key_policy": str("insecure"), "host_key": strs("SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")}, at: `hosts["web"].host_key`, want: "insecure"},
		"host key":               {web: attrs{"host_key": strs("MD5:00")}, at: `hosts["web"].host_key[0]`, want: "fingerprint"},
		"no host key":            {web: attrs{"host_key": cty.ListValEmpty(cty.String)}, at: `hosts["web"].host_key`, want: "at least 1"},
		"known hosts":            {all: attrs{"known_hosts": strs("# x", "web")}, at: "known_hosts[1]", want: "known_hosts"},
		"zero timeout":           {all: attrs{"connect_timeout": str("0s")}, at: "connect_timeout", want: "greater than zero"},
		"invalid duration":       {all: attrs{"keep_alive": str("5")}, at: "keep_alive", want: "duration"},
		"keepalives":             {all: attrs{"keep_alive_count": cty.Zero}, at: "keep_alive_count"},
		"retries":                {all: attrs{"connect_retries": cty.NumberIntVal(-1)}, at: "connect_retries"},
		"sessions":               {all: attrs{"max_sessions": cty.Zero}, at: "max_sessions"},
		"jump local":             {web: attrs{"proxy_jump": strs("local")}, at: `hosts["web"].proxy_jump[0]`, want: "start"},
		"invalid jump host":      {all: attrs{"proxy_jump": strs("a b")}, at: `proxy_jump[0]`, want: "not a valid host name or address"},
		"jump through itself":    {web: attrs{"proxy_jump": strs("x", "web")}, at: `hosts["web"].proxy_jump[1]`, want: "through itself"},
		"jump twice":             {web: attrs{"proxy_jump": strs("x", "y", "x")}, at: `hosts["web"].proxy_jump[2]`, want: "x twice"},
		"cycle":                  {all: many(attrs{"a": host(attrs{"proxy_jump": strs("b")}), "b": host(attrs{"proxy_jump": strs("a", "c")})}), at: `hosts["a"].proxy_jump[0]`, want: "a → b → a"},
		"cycle at second host":   {all: many(attrs{"a": host(attrs{"proxy_jump": strs("b")}), "b": host(attrs{"proxy_jump": strs("a")})}), at: `hosts["b"].proxy_jump[0]`, want: "b → a → b"},
		"former names":           {web: attrs{"formerly": cty.ListVal([]cty.Value{str("old"), str("root@x:7"), str("old"), cty.UnknownVal(cty.String)})}},
		"former name twice":      {all: many(attrs{"a": host(attrs{"formerly": strs("x", "old")}), "b": host(attrs{"formerly": strs("old")})}), at: `hosts["b"].formerly[0]`, want: `"old" is a former name of both a and b`},
		"former name in use":     {all: many(attrs{"a": host(attrs{"formerly": strs("b")}), "b": host(nil)}), at: `hosts["a"].formerly[0]`, want: `"b" is the key of a host`},
		"its own former name":    {web: attrs{"formerly": strs("web")}, at: `hosts["web"].formerly[0]`, want: "is the key of a host"},
		"formerly local":         {web: attrs{"formerly": strs("local")}, at: `hosts["web"].formerly[0]`, want: "the host that the provider runs on"},
		"invalid former name":    {web: attrs{"formerly": strs("a b")}, at: `hosts["web"].formerly[0]`, want: "not a valid host name or address"},
		"unreachable":            {all: attrs{"on_unreachable": str("ignore")}, at: "on_unreachable"},
		"null in a list":         {all: attrs{"known_hosts": cty.ListVal([]cty.Value{cty.NullVal(cty.String)})}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := p.ValidateProviderConfig(t.Context(), provider.ValidateProviderConfigRequest{Config: block(body, tt.all, tt.web)}).Diagnostics
			if strings.Contains(diags.Error(), secret) {
				t.Errorf("the error contains a secret: %v", diags)
			}
			if tt.at == "" {
				if len(diags) > 0 {
					t.Errorf("a valid configuration is rejected: %v", diags)
				}
				return
			}
			var about []string
			for _, d := range diags {
				if diag.FormatPath(d.Path) == tt.at {
					about = append(about, d.Detail)
				}
			}
			if len(about) != 1 || !strings.Contains(about[0], tt.want) {
				t.Errorf("the diagnostics are %v, want one error about %s with %q", diags, tt.at, tt.want)
			}
		})
	}
}

// TestSchema checks that secrets are sensitive, and that every attribute is optional and has a description.
func TestSchema(t *testing.T) {
	t.Parallel()
	_, body := configurable(t, &world{})
	var sensitive []string
	var walk func(path string, all map[string]*configschema.Attribute)
	walk = func(path string, all map[string]*configschema.Attribute) {
		for name, a := range all {
			if a.Description == "" || !a.Optional || a.Required || a.Computed {
				t.Errorf("%s%s is %+v, want an optional attribute with a description", path, name, a)
			}
			if a.Sensitive {
				sensitive = append(sensitive, path+name)
			}
			if a.NestedType != nil {
				walk(path+name+".", a.NestedType.Attributes)
			}
		}
	}
	walk("", body.Attributes)
	want := map[string]bool{}
	for _, path := range []string{"", "hosts."} {
		for _, name := range []string{"private_key", "passphrase", "password", "sudo.password"} {
			want[path+name] = true
		}
	}
	for _, path := range sensitive {
		if !want[path] {
			t.Errorf("%s is sensitive, want only known secrets to be sensitive", path)
		}
		delete(want, path)
	}
	if len(want) > 0 {
		t.Errorf("the secrets %v are not sensitive", want)
	}
}

// TestConfigure checks that a configuration with null and unknown values is accepted.
func TestConfigure(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]attrs{
		"nothing": {}, "unknown hosts": {"hosts": cty.DynamicVal}, "unknown values": {"password": cty.UnknownVal(cty.String), "sudo": cty.DynamicVal},
	} {
		p, body := configurable(t, &world{})
		for name, v := range all {
			if v == cty.DynamicVal {
				all[name] = cty.UnknownVal(body.Attributes[name].NestedType.ImpliedType())
			}
		}
		if diags := p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: block(body, all, nil)}).Diagnostics; len(diags) > 0 {
			t.Errorf("%s: %v, want no diagnostics", name, diags)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: Close returns %v, want no error", name, err)
		}
	}
}
