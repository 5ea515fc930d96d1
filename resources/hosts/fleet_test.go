package hosts_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestNames(t *testing.T) {
	t.Parallel()
	w := &world{ssh: "Host alias\nHostName real\nUser aliased"}
	h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{"web": {Address: is("192.0.2.1")}}), Settings: hosts.Settings{User: is("all")}})
	for name, want := range map[string]string{
		"web": "all@192.0.2.1:22", "alias": "all@real:22", "root@alias": "root@real:22", "web:7": "all@web:7", "root@web": "root@web:22",
		"joe@[::1]:2222": "joe@::1:2222", "10.0.0.1:22": "all@10.0.0.1:22",
	} {
		o := find(t, h, name).options
		if got := o.User + "@" + o.Address + ":" + decimal(o.Port); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	refused(t, h, "wbe", `"wbe"`, "The provider has: web, local", "user@wbe", "wbe:22")
	refused(t, h, "10.0.0.1", "10.0.0.1:22")
	refused(t, h, "", "empty")
	refused(t, h, "-x", "not a valid host name or address")
	refused(t, h, "root@::1", "brackets")
	if local, err := h.Find(nil); err != nil || local.Name() != host.LocalName {
		t.Errorf("the default host without default_host is %v (%v), want local", local, err)
	}
	for _, name := range []string{"web", "alias", "root@web"} {
		if one, other := find(t, h, name), find(t, h, name); one != other {
			t.Errorf("two calls of Find for %s return two hosts, want the same host", name)
		}
	}
	if find(t, h, "root@web") == find(t, h, "root@web:22") {
		t.Error("root@web and root@web:22 are the same host, want two hosts")
	}
	h = w.hosts(t, hosts.Provider{DefaultHost: new("web"), Hosts: named(map[string]hosts.Host{"web": {}})})
	if web, err := h.Find(nil); err != nil || web.Name() != "web" {
		t.Errorf("the default host is %v (%v), want web", web, err)
	}
}

// TestCreatedOnce checks that a host is created once, even with concurrent callers, and that
// different hosts are created concurrently.
func TestCreatedOnce(t *testing.T) {
	t.Parallel()
	w := &world{hold: map[string]chan struct{}{"slow": make(chan struct{})}}
	h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{"slow": {}, "quick": {}, "behind": {Settings: hosts.Settings{ProxyJump: list("slow")}}})})
	var wg sync.WaitGroup
	for range 8 {
		for _, name := range []string{"slow", "behind"} {
			wg.Go(func() { find(t, h, name) })
		}
	}
	find(t, h, "quick")
	close(w.hold["slow"])
	wg.Wait()
	slices.Sort(w.made)
	if got := strings.Join(w.made, " "); got != "behind quick slow" {
		t.Errorf("created hosts: %s, want each of behind, quick and slow once", got)
	}
}

func TestProxyJump(t *testing.T) {
	t.Parallel()
	jump := func(names ...string) hosts.Host {
		return hosts.Host{Settings: hosts.Settings{ProxyJump: list(names...)}}
	}
	for name, tt := range map[string]struct {
		hosts map[string]hosts.Host
		all   []string
		ssh   string
		want  map[string]string // jump hosts by host
		fails map[string]string
	}{
		"one jump host":        {hosts: map[string]hosts.Host{"a": jump("b"), "b": {}}, want: map[string]string{"a": "b", "b": ""}},
		"jump host of a jump":  {hosts: map[string]hosts.Host{"a": jump("b"), "b": jump("c"), "c": {}}, want: map[string]string{"a": "c b"}},
		"a chain":              {hosts: map[string]hosts.Host{"a": jump("c", "b"), "b": {}, "c": {}}, want: map[string]string{"a": "c b", "b": ""}},
		"list over jump's own": {hosts: map[string]hosts.Host{"a": jump("c", "b"), "b": jump("d"), "c": jump("d"), "d": {}}, want: map[string]string{"a": "d c b", "b": "d"}},
		"a destination":        {hosts: map[string]hosts.Host{"a": jump("root@gate:2222")}, want: map[string]string{"a": "root@gate:2222", "joe@a": ""}},
		"provider":             {hosts: map[string]hosts.Host{"a": {}, "b": {}}, all: []string{"b"}, want: map[string]string{"a": "b", "b": "", "root@x": "b"}},
		"list of provider":     {hosts: map[string]hosts.Host{"a": {}, "b": {}, "c": {}}, all: []string{"c", "b"}, want: map[string]string{"a": "c b", "b": "c", "c": ""}},
		"empty list of host":   {hosts: map[string]hosts.Host{"a": jump(), "b": {}}, all: []string{"b"}, want: map[string]string{"a": ""}},
		"the SSH configuration": {
			hosts: map[string]hosts.Host{"a": {}, "b": jump(), "gate": {Address: is("never")}},
			ssh:   "Host a b\nProxyJump gate,root@inner:7\nHost inner\nProxyJump never", want: map[string]string{"a": "gate root@inner:7", "b": "", "gate": ""},
		},
		"cycles": {
			hosts: map[string]hosts.Host{"a": jump("b"), "b": jump("c"), "c": jump("a"), "d": jump("a"), "e": jump("f", "e"), "f": {}},
			fails: map[string]string{"a": "cycle: a → b → c → a. Change", "b": "cycle: b → c → a → b. Change", "d": "cycle: d → a → b → c → a. Change", "e": "e cannot be reached through itself"},
		},
		"cycle in the SSH configuration": {ssh: "Host x y\nProxyJump y", fails: map[string]string{"root@x": "y"}, hosts: map[string]hosts.Host{}},
		"cycle in both configurations": {
			hosts: map[string]hosts.Host{"a": jump("g")}, ssh: "Host g\nProxyJump b\nHost b\nProxyJump g", fails: map[string]string{"a": "a → g → b → g → b"},
		},
		"unknown jump host": {hosts: map[string]hosts.Host{"a": jump("nobody")}, fails: map[string]string{"a": `jump host of a: no host "nobody" is configured`}},
		"local":             {hosts: map[string]hosts.Host{"a": jump("local")}, fails: map[string]string{"a": "jump host of a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{ssh: tt.ssh}
			p := hosts.Provider{Hosts: named(tt.hosts)}
			if tt.all != nil {
				p.ProxyJump = list(tt.all...)
			}
			h := w.hosts(t, p)
			for name, want := range tt.want {
				if got := through(find(t, h, name)); got != want {
					t.Errorf("%s is reached through %q, want %q", name, got, want)
				}
			}
			for name, want := range tt.fails {
				refused(t, h, name, want)
			}
		})
	}
	// A jump host is the same object as the host of that name in resources if both have the
	// same route.
	w := &world{ssh: "Host a\nProxyJump gate"}
	h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{
		"a": {}, "b": jump("gate"), "c": jump("gate", "b"), "d": jump("b"), "gate": {Address: is("192.0.2.1")},
	})})
	gate, b := find(t, h, "gate"), find(t, h, "b")
	if b.options.Via != host.Host(gate) || find(t, h, "c").options.Via != host.Host(b) || find(t, h, "d").options.Via != host.Host(b) {
		t.Error("a jump host is not the host of that name in resources, want the same host")
	}
	if find(t, h, "a").options.Via == host.Host(gate) {
		t.Error("the jump host gate in the SSH configuration is the host gate of the provider, want a different host")
	}
}

// TestUnknownSettings checks that a host with unknown settings is pending, and that the error of an
// operation names the host and these settings.
func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	w := &world{}
	h := w.hosts(t, hosts.Provider{Hosts: is(map[string]runtime.Value[hosts.Host]{
		"address": is(hosts.Host{Address: later[string]()}),
		"key":     is(hosts.Host{Settings: hosts.Settings{PrivateKey: later[string](), KnownHosts: is([]runtime.Value[string]{is("# x"), later[string]()})}}),
		"sudo":    is(hosts.Host{Settings: hosts.Settings{Sudo: is(hosts.Sudo{Password: later[string]()})}}),
		"behind":  is(hosts.Host{Settings: hosts.Settings{ProxyJump: list("address")}}),
		"whole":   later[hosts.Host](),
		"null":    runtime.Null[hosts.Host](),
		"known":   is(hosts.Host{Settings: hosts.Settings{Password: is("p")}}),
		"nulls":   is(hosts.Host{HostKey: is([]runtime.Value[string]{runtime.Null[string]()})}),
	}), Settings: hosts.Settings{Password: later[string]()}})
	for name, want := range map[string]string{
		"address": `hosts["address"].address, password`, "key": `hosts["key"].private_key, password, hosts["key"].known_hosts[1]`,
		"sudo": `hosts["sudo"].sudo.password`, "behind": `password, hosts["address"].address, password`, "whole": `hosts["whole"] `, "root@other": "value of password",
	} {
		found, err := h.Find(&name)
		if err != nil || !lifecycle.Pending(found) || found.Name() != name {
			t.Errorf("%s: %v (%v), want a pending host of this name", name, found, err)
			continue
		}
		if _, err := found.Lstat(t.Context(), "/x"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error of Lstat is %v, want an error with %q and the name of the host", name, err, want)
		}
	}
	find(t, h, "known")
	refused(t, h, "null", `hosts["null"] is null`)
	refused(t, h, "nulls", `hosts["nulls"].host_key[0] is null`)
	if len(w.made) != 1 {
		t.Errorf("created hosts: %v, want one host", w.made)
	}

	h = w.hosts(t, hosts.Provider{Hosts: later[map[string]runtime.Value[hosts.Host]]()})
	if found, err := h.Find(new("any")); err != nil || !lifecycle.Pending(found) {
		t.Errorf("the host any is %v (%v) while the attribute hosts is unknown, want a pending host", found, err)
	}
	find(t, h, "root@any")
	if local, err := h.Find(nil); err != nil || lifecycle.Pending(local) {
		t.Errorf("the local host is %v (%v), want a host that is not pending", local, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	key := hosts.Settings{PrivateKey: is(secret), PrivateKeyPath: is("/" + secret)}
	w := &world{
		ssh: "Host off\nStrictHostKeyChecking no\nHost proxied\nProxyCommand nc %d\nHost noagent\nIdentityAgent none",
		env: map[string]string{"POSIX_HOST_A_B_PASSWORD": secret, "POSIX_HOST_TWO_PRIVATE_KEY": secret, "POSIX_HOST_TWO_PRIVATE_KEY_PATH": "/" + secret},
	}
	h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{
		"both": {Settings: key}, "two": {}, "off": {}, "proxied": {}, "a-b": {}, "a_b": {}, "A.B": {},
		"agent": {Settings: hosts.Settings{Agent: is(true)}}, "noagent": {Settings: hosts.Settings{Agent: is(true)}}, "file": {Settings: hosts.Settings{SSHConfig: is("~/none")}},
		"pin": {HostKey: list("x")}, "policy": {Settings: hosts.Settings{HostKeyPolicy: is("perhaps")}},
	})})
	for name, want := range map[string]string{
		"both": `hosts["both"].private_key and private_key_path`, "two": "POSIX_HOST_TWO_PRIVATE_KEY and POSIX_HOST_TWO_PRIVATE_KEY_PATH",
		"off": "config:3 disables host key verification", "proxied": "config:5", "a-b": `"A.B" "a-b" "a_b"`, "a_b": "POSIX_HOST_A_B_PASSWORD",
		"agent": "SSH_AUTH_SOCK is not set", "noagent": "config:7 disables the agent", "file": "none", "pin": "fingerprint", "policy": "must be strict, accept_new or insecure",
	} {
		refused(t, h, name, want, "host "+name)
		if _, err := h.Find(&name); strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error contains a secret: %v", name, err)
		}
	}
	w.makeErr = errors.New("cannot create")
	refused(t, w.hosts(t, hosts.Provider{}), "root@x", "root@x", "cannot create")
	refused(t, hosts.New(&hosts.Provider{}, hosts.Backends{}), "root@x", "only supports the host that it runs on")
}

// TestClose checks that Close closes the created hosts, a jump host after the host that is reached through
// it, and that a host that is created later is closed at once.
func TestClose(t *testing.T) {
	t.Parallel()
	w := &world{hold: map[string]chan struct{}{"late": make(chan struct{})}}
	h := w.hosts(t, hosts.Provider{Hosts: named(map[string]hosts.Host{
		"a": {Settings: hosts.Settings{ProxyJump: list("gate")}}, "gate": {}, "never": {}, "late": {},
	})})
	find(t, h, "a")
	late := make(chan error)
	go func() { _, err := h.Find(new("late")); late <- err }()
	w.closeErr = errors.New("cannot close")
	if err := h.Close(); !errors.Is(err, w.closeErr) {
		t.Errorf("Close returns %v, want %v", err, w.closeErr)
	}
	if got := strings.Join(w.closed, " "); got != "a gate" {
		t.Errorf("closed hosts: %s, want a and then gate", got)
	}
	close(w.hold["late"])
	if err := <-late; err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Find of a host that was created after Close returns %v, want an error about the closed provider", err)
	}
	if got := strings.Join(w.closed, " "); got != "a gate late" {
		t.Errorf("closed hosts: %s, want a, gate and then late", got)
	}
	if err := h.Close(); err != nil {
		t.Errorf("the second Close returns %v, want no error", err)
	}
	one, err := lifecycle.NewHosts(find(t, (&world{}).hosts(t, hosts.Provider{}), "root@x"))
	if err != nil {
		t.Fatalf("lifecycle.NewHosts returns %v, want no error", err)
	}
	if err := one.Close(); err != nil {
		t.Errorf("Close of a set of hosts returns %v, want no error", err)
	}
}

func TestMaxConnections(t *testing.T) {
	t.Parallel()
	w := &world{}
	h := w.hosts(t, hosts.Provider{MaxConnections: new(int64(3))})
	if a, b := find(t, h, "root@a").options.Slots, find(t, h, "root@b").options.Slots; a == nil || a != b {
		t.Errorf("the slots of two hosts are %p and %p, want the same slots", a, b)
	}
	if s := find(t, w.hosts(t, hosts.Provider{}), "root@a").options.Slots; s != nil {
		t.Error("connections are limited without max_connections")
	}
}
