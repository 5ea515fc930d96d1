package hosttest

import (
	"fmt"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func testAccounts(t *testing.T, s suite) {
	run(t, s, "root", func(e env) {
		for _, text := range []string{"root", "0", "00"} {
			user, err := e.LookupUser(e.ctx(), text)
			e.must(err)
			if user.Name != "root" || user.UID != 0 || user.GID != 0 {
				e.Errorf("%q is %+v", text, user)
			}
		}
		group, err := e.LookupGroup(e.ctx(), "0")
		e.must(err)
		if group.Name == "" || group.GID != 0 {
			e.Errorf("group 0 is %+v", group)
		}
		same, err := e.LookupGroup(e.ctx(), group.Name)
		e.must(err)
		if same != group {
			e.Errorf("group %s is %+v", group.Name, same)
		}
	})
	run(t, s, "IDs without an entry", func(e env) {
		for _, id := range []uint32{54321, 3_999_999_999, 1<<32 - 2} {
			user, err := e.LookupUser(e.ctx(), fmt.Sprint(id))
			e.must(err)
			if user.Name != "" || user.UID != id {
				e.Errorf("user %d is %+v", id, user)
			}
			group, err := e.LookupGroup(e.ctx(), fmt.Sprint(id))
			e.must(err)
			if want := (host.Group{GID: id}); group != want {
				e.Errorf("group %d is %+v", id, group)
			}
		}
	})
	for _, text := range []string{
		"", "no-such-user-or-group", "Root", " root", "root ", "root:", "root:x", "root\n", "-1", "+0", "0x0", "1.0",
		"4294967295", "4294967296", "99999999999999999999", "a\x00b", "\xff", "--help", "$(id)", "*", "root,daemon",
	} {
		run(t, s, fmt.Sprintf("unknown %q", text), func(e env) {
			e.wantError(errOf(e.LookupUser(e.ctx(), text)), "", host.ErrUnknownUser)
			e.wantError(errOf(e.LookupGroup(e.ctx(), text)), "", host.ErrUnknownGroup)
		})
	}
}
