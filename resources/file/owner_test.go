package file_test

import (
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func contentOf(t *testing.T, h host.Host, path string) string {
	t.Helper()
	_, r, err := h.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestOwners(t *testing.T) {
	t.Parallel()
	for typeName, base := range map[string]attrs{
		"posix_file":      {"content": str("x")},
		"posix_directory": {},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), typeName)
			set := func(owner, group cty.Value) attrs {
				s := attrs{"path": str("/o"), "owner": owner, "group": group}
				maps.Copy(s, base)
				return s
			}
			unset := cty.NullVal(cty.String)
			is := func(owner, group string, uid, gid uint32) {
				t.Helper()
				o.WantAttrs(attrs{"owner": str(owner), "group": str(group)})
				info, err := h.Lstat(t.Context(), "/o")
				if err != nil || info.UID != uid || info.GID != gid {
					t.Errorf("on the host, the owner is %d and the group %d, want %d and %d (%v)", info.UID, info.GID, uid, gid, err)
				}
			}
			chown := func(uid, gid uint32) {
				t.Helper()
				if _, err := h.SetAttributes(t.Context(), "/o", host.TypeUnknown, host.Attributes{UID: &uid, GID: &gid}); err != nil {
					t.Fatal(err)
				}
				o.Refresh()
			}

			o.Apply(set(unset, unset))
			is("root", "root", 0, 0)
			// An owner that is not configured is not changed.
			chown(1002, 2002)
			o.Changes(set(unset, unset))
			is("bob", "guests", 1002, 2002)

			o.Changes(set(str("alice"), str("staff")), "group", "owner")
			o.Apply(set(str("alice"), str("staff")))
			is("alice", "staff", 1001, 2001)
			// Drift is repaired in place.
			chown(1002, 2001)
			o.Changes(set(str("alice"), str("staff")), "owner")
			o.Apply(set(str("alice"), str("staff")))
			is("alice", "staff", 1001, 2001)

			// IDs, and other names of an account, are kept as configured.
			o.Apply(set(str("1001"), str("2001")))
			is("1001", "2001", 1001, 2001)
			o.Apply(set(str("alias"), str("4000")))
			is("alias", "4000", 1001, 4000)
			chown(1002, 2001)
			o.Changes(set(str("alias"), str("4000")), "group", "owner")
			o.WantAttrs(attrs{"owner": str("bob"), "group": str("staff")})

			// An owner that is removed from the configuration is not changed.
			o.Apply(set(unset, unset))
			is("bob", "staff", 1002, 2001)
		})
	}
}

// TestUpdateKeepsOwner checks that an update does not change an owner that is not configured, even if it was changed
// after the plan was made.
func TestUpdateKeepsOwner(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typeName string
		was, is  attrs
	}{
		"content":   {"posix_file", attrs{"content": str("x")}, attrs{"content": str("y")}},
		"mode":      {"posix_file", attrs{"content": str("x")}, attrs{"content": str("x"), "mode": str("0600")}},
		"directory": {"posix_directory", attrs{}, attrs{"mode": str("0700")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewHost(nil)
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), tt.typeName)
			tt.was["path"], tt.is["path"] = str("/o"), str("/o")
			o.Apply(tt.was)
			plan := o.Plan(tt.is)
			_, err := h.SetAttributes(t.Context(), "/o", host.TypeUnknown, host.Attributes{UID: new(uint32(1002)), GID: new(uint32(2002))})
			resourcetest.Must(t, err)
			resourcetest.NoErrors(t, o.ApplyPlan(tt.is, plan))
			if info, err := h.Lstat(t.Context(), "/o"); err != nil || info.UID != 1002 || info.GID != 2002 {
				t.Errorf("after the update, the owner is %d and the group %d (%v), want 1002 and 2002", info.UID, info.GID, err)
			}
			o.NoChange(tt.is)
			o.WantAttrs(attrs{"owner": str("bob"), "group": str("guests")})
		})
	}
}

// TestOverwriteKeepsOwner checks that overwriting keeps an owner that is not configured.
func TestOverwriteKeepsOwner(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(nil)
	uid, gid := uint32(1001), uint32(2001)
	if _, err := h.WriteFile(t.Context(), "/o", strings.NewReader("old"), host.WriteOptions{Attributes: host.Attributes{UID: &uid, GID: &gid}}); err != nil {
		t.Fatal(err)
	}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	o.Apply(attrs{"path": str("/o"), "content": str("new"), "write_options": options(attrs{"overwrite": cty.True})})
	o.WantAttrs(attrs{"owner": str("alice"), "group": str("staff"), "host": str("town")})
	if got := contentOf(t, h, "/o"); got != "new" {
		t.Errorf("the file has %q, want new", got)
	}
}

// TestNotAllowed checks the error for an owner that the provider has no permission to set, and that no object is
// created.
func TestNotAllowed(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "town", UID: 1001, GIDs: []uint32{2001}, Users: []host.User{{Name: "bob", UID: 1002}}})
	for typeName, set := range map[string]attrs{
		"posix_file":      {"content": str("x")},
		"posix_directory": {},
	} {
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), typeName)
		set["path"], set["owner"] = str("/"+typeName), str("bob")
		resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "", "/"+typeName, "On host town", "lacks permission")
		if _, err := h.Lstat(t.Context(), "/"+typeName); err == nil {
			t.Errorf("the %s exists after the error, want no object", typeName)
		}
	}
}
