package access_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/access"
)

// TestResolveErrors checks that the error for an unknown name is about its attribute, and
// that a failed lookup is returned once, without an attribute.
func TestResolveErrors(t *testing.T) {
	t.Parallel()
	down := errors.New("connection lost")
	for name, tt := range map[string]struct {
		owner, group string
		fails        string // prefix of the operations that fail
		want         []cty.Path
	}{
		"both unknown":          {"nobody-there", "", "", []cty.Path{cty.GetAttrPath("owner"), cty.GetAttrPath("group")}},
		"both known":            {"root", "root", "", nil},
		"all lookups fail":      {"root", "root", "Lookup", []cty.Path{nil}},
		"lookup of group fails": {"root", "root", "LookupGroup", []cty.Path{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := memory.New(memory.Config{
				Users: []host.User{{Name: "root"}}, Groups: []host.Group{{Name: "root"}},
				Fault: func(op, _ string) error {
					if tt.fails != "" && strings.HasPrefix(op, tt.fails) {
						return down
					}
					return nil
				},
			})
			_, err := access.Resolve(t.Context(), h, 0o600, &tt.owner, &tt.group)
			if errors.Is(err, down) != (tt.fails != "") {
				t.Errorf("the error is %v, want the error of the lookup if and only if the lookup fails", err)
			}
			got := diag.FromError("", err)
			if len(got) != len(tt.want) {
				t.Fatalf("%d errors, want %d: %v", len(got), len(tt.want), got)
			}
			for i, d := range got {
				if !d.Path.Equals(tt.want[i]) {
					t.Errorf("the error is about %v, want %v: %v", d.Path, tt.want[i], d)
				}
			}
		})
	}
}

// TestOwnerWithGroup checks the remedy for an owner in the form user:group of chown(1).
func TestOwnerWithGroup(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Users: []host.User{{Name: "root"}}, Groups: []host.Group{{Name: "root"}}})
	_, err := access.Resolve(t.Context(), h, 0o600, new("root:adm"), nil)
	if err == nil || !strings.Contains(err.Error(), `set owner = "root" and group = "adm"`) {
		t.Errorf("the error is %v, want one that names both attributes to set", err)
	}
}
