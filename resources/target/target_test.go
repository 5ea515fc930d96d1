package target_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/target"
)

func TestParseImportID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct {
		host, path string
		fails      string
	}{
		"/etc/motd":       {path: "/etc/motd"},
		"local:/etc/motd": {host: "local", path: "/etc/motd"},
		"/a:/b":           {path: "/a:/b"},
		"web:1:/b:/c":     {host: "web:1", path: "/b:/c"},
		"a@b.c:22:/d":     {host: "a@b.c:22", path: "/d"},
		"a@[::1]:22:/d":   {host: "a@[::1]:22", path: "/d"},
		"[::1]:/d":        {host: "[::1]", path: "/d"},
		"::1:/d":          {fails: "brackets"},
		"-x:/d":           {fails: "not a valid host name or address"},
		"a b:/d":          {fails: "not a valid host name or address"},
		"":                {fails: "local:/etc/motd"},
		":/etc":           {fails: "local:/etc/motd"},
		"etc/motd":        {fails: "local:/etc/motd"},
		"a/b:/etc":        {fails: "local:/etc/motd"},
		"local:":          {fails: "local:/etc/motd"},
		"local:/":         {fails: "root"},
		"local:/a/":       {fails: "write /a"},
		"/a\x00":          {fails: "NUL"},
	} {
		got, err := target.ParseImportID(id)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: %v, want an error with %q", id, err, want.fails)
			}
			continue
		}
		name := ""
		if got.Host != nil {
			name = *got.Host
		}
		if err != nil || name != want.host || string(got.Path) != want.path {
			t.Errorf("%q: host %q, path %q (%v)", id, name, got.Path, err)
		}
	}
}

// Whatever is accepted means the same after it went through a state.
func FuzzParseImportID(f *testing.F) {
	for _, id := range []string{"/a", "local:/a", "root@[::1]:22:/a", "a:/b:/c", "/e\u0301", "/\xff", "/a/.b.posix-tmp"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		got, err := target.ParseImportID(id)
		if err != nil {
			return
		}
		printed := string(got.Path)
		if got.Host != nil {
			printed = *got.Host + ":" + printed
		}
		if printed != id {
			t.Errorf("%q was read as %q", id, printed)
		}
		if stored := cty.StringVal(string(got.Path)).AsString(); stored != string(got.Path) {
			t.Errorf("path %q is stored as %q", got.Path, stored)
		}
		if err := host.CheckTarget(string(got.Path)); err != nil {
			t.Errorf("path %q cannot be made: %v", got.Path, err)
		}
		var again target.Path
		if err := again.UnmarshalText([]byte(got.Path)); err != nil || again != got.Path {
			t.Errorf("%q again: %q (%v)", got.Path, again, err)
		}
	})
}

func TestHosts(t *testing.T) {
	t.Parallel()
	if _, err := target.NewHosts(); err == nil {
		t.Error("a provider without hosts")
	}
	web, db := memory.New(memory.Config{Name: "web"}), memory.New(memory.Config{Name: "db"})
	if _, err := target.NewHosts(web, web); err == nil {
		t.Error("two hosts of one name")
	}
	hosts, err := target.NewHosts(web, db)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[*string]host.Host{nil: web, new("web"): web, new("db"): db} {
		if got, err := hosts.Find(name); err != nil || got != want {
			t.Errorf("found %v (%v)", got, err)
		}
	}
	for _, name := range []string{"", "WEB", "mail"} {
		if _, err := hosts.Find(&name); err == nil || !strings.Contains(err.Error(), "db, web") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestRemember(t *testing.T) {
	t.Parallel()
	web, db := memory.New(memory.Config{Name: "web"}), memory.New(memory.Config{Name: "db"})
	hosts, err := target.NewHosts(web, db)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { hosts.Remember(web, "/a") })
	}
	wg.Wait()
	hosts.RememberPrior(new("db"), "/b")
	hosts.RememberPrior(new("gone"), "/c")
	(*target.Hosts)(nil).RememberPrior(nil, "/d")
	for _, tt := range []struct {
		h    host.Host
		path target.Path
		want bool
	}{{web, "/a", true}, {db, "/a", false}, {db, "/b", true}, {web, "/b", false}, {web, "/c", false}} {
		if got := hosts.Remembers(tt.h, tt.path); got != tt.want {
			t.Errorf("%s:%s is remembered: %t", tt.h.Name(), tt.path, got)
		}
	}
	hosts.Forget(web, "/a")
	if hosts.Remembers(web, "/a") {
		t.Error("it was not forgotten")
	}
}
