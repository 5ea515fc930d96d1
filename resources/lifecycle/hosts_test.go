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
		t.Error("NewHosts without hosts succeeds, want an error")
	}
	web, db := memory.New(memory.Config{Name: "web"}), memory.New(memory.Config{Name: "db"})
	if _, err := lifecycle.NewHosts(web, web); err == nil {
		t.Error("NewHosts with two hosts of the same name succeeds, want an error")
	}
	hosts, err := lifecycle.NewHosts(web, db)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[*string]host.Host{nil: web, new("web"): web, new("db"): db} {
		if got, err := hosts.Find(name); err != nil || got != want {
			t.Errorf("Find returns %v (%v), want the host %s", got, err, want.Name())
		}
	}
	for _, name := range []string{"", "WEB", "mail"} {
		if _, err := hosts.Find(&name); err == nil || !strings.Contains(err.Error(), "db, web") {
			t.Errorf("%q: the error of Find is %v, want an error with the names of the hosts", name, err)
		}
	}
}
