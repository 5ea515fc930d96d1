package lifecycle_test

import (
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	if _, err := lifecycle.NewHosts(); err == nil {
		t.Error("no error without hosts")
	}
	web, db := memory.New(memory.Config{Name: "web"}), memory.New(memory.Config{Name: "db"})
	if _, err := lifecycle.NewHosts(web, web); err == nil {
		t.Error("no error for two hosts with the same name")
	}
	hosts, err := lifecycle.NewHosts(web, db)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[*string]host.Host{nil: web, new("web"): web, new("db"): db} {
		if got, err := hosts.Find(name); err != nil || got != want {
			t.Errorf("found %v (%v), want the host with this name, or web without a name", got, err)
		}
	}
	for _, name := range []string{"", "WEB", "mail"} {
		if _, err := hosts.Find(&name); err == nil || !strings.Contains(err.Error(), "db, web") {
			t.Errorf("%q: error %v, want one that names the hosts", name, err)
		}
	}
}
