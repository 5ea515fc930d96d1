package access_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// TestResolveForPlan checks that accounts that the same apply creates get an ID that no file
// has, and that all other missing accounts are an error.
func TestResolveForPlan(t *testing.T) {
	t.Parallel()
	const nobody = ^uint32(0)
	for name, tt := range map[string]struct {
		expect     func(*lifecycle.Scope)
		user, ours bool
	}{
		"nothing":      {expect: func(*lifecycle.Scope) {}},
		"the user":     {expect: func(s *lifecycle.Scope) { s.PlanAccount(lifecycle.AccountUser, "ann") }, user: true},
		"the group":    {expect: func(s *lifecycle.Scope) { s.PlanAccount(lifecycle.AccountGroup, "ours") }, ours: true},
		"another user": {expect: func(s *lifecycle.Scope) { s.PlanAccount(lifecycle.AccountUser, "ours") }},
		"any account":  {expect: func(s *lifecycle.Scope) { s.PlanAnyAccount() }, user: true, ours: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scope := resourcetest.Scope(t, memory.New(memory.Config{}))
			tt.expect(scope)
			attrs, err := access.ResolveForPlan(t.Context(), scope, 0o600, new("ann"), nil)
			if tt.user != (err == nil && attrs.UID != nil && *attrs.UID == nobody) {
				t.Errorf("owner ann: attributes %+v, error %v; want UID %d: %t", attrs, err, nobody, tt.user)
			}
			attrs, err = access.ResolveForPlan(t.Context(), scope, 0o600, nil, new("ours"))
			if tt.ours != (err == nil && attrs.GID != nil && *attrs.GID == nobody) {
				t.Errorf("group ours: attributes %+v, error %v; want GID %d: %t", attrs, err, nobody, tt.ours)
			}
			if attrs, err = access.ResolveForPlan(t.Context(), scope, 0o600, new("root"), new("root")); err != nil || *attrs.UID != 0 || *attrs.GID != 0 {
				t.Errorf("root: attributes %+v, error %v; want UID and GID 0", attrs, err)
			}
		})
	}
}
