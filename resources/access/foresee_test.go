package access_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/target"
)

// TestForesee plans for accounts that are not there: those that the run makes are
// none to miss, and no file belongs to them; any other is an error.
func TestForesee(t *testing.T) {
	t.Parallel()
	const nobody = ^uint32(0)
	for name, tt := range map[string]struct {
		expect     func(*target.Hosts, host.Host)
		user, ours bool
	}{
		"nothing":          {expect: func(*target.Hosts, host.Host) {}},
		"the user":         {expect: func(s *target.Hosts, h host.Host) { s.Expect(h, target.AccountUser, "ann") }, user: true},
		"the group":        {expect: func(s *target.Hosts, h host.Host) { s.Expect(h, target.AccountGroup, "ours") }, ours: true},
		"another user":     {expect: func(s *target.Hosts, h host.Host) { s.Expect(h, target.AccountUser, "ours") }},
		"whom they may be": {expect: func(s *target.Hosts, h host.Host) { s.ExpectAnyAccount(h) }, user: true, ours: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := memory.New(memory.Config{})
			hosts, err := target.NewHosts(h)
			if err != nil {
				t.Fatal(err)
			}
			tt.expect(hosts, h)
			attrs, err := access.Foresee(t.Context(), hosts, h, 0o600, new("ann"), nil)
			if tt.user != (err == nil && attrs.UID != nil && *attrs.UID == nobody) {
				t.Errorf("user: %+v, %v", attrs, err)
			}
			attrs, err = access.Foresee(t.Context(), hosts, h, 0o600, nil, new("ours"))
			if tt.ours != (err == nil && attrs.GID != nil && *attrs.GID == nobody) {
				t.Errorf("group: %+v, %v", attrs, err)
			}
			if attrs, err = access.Foresee(t.Context(), hosts, h, 0o600, new("root"), new("root")); err != nil || *attrs.UID != 0 || *attrs.GID != 0 {
				t.Errorf("whoever is there is found: %+v, %v", attrs, err)
			}
		})
	}
}
