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

// An unknown name is an error of its attribute. A host that cannot be asked is reported
// once, without an attribute.
func TestResolveBlames(t *testing.T) {
	t.Parallel()
	down := errors.New("the line is down")
	for name, tt := range map[string]struct {
		owner, group string
		fails        string // the operation that fails
		want         []cty.Path
	}{
		"both are wrong":     {"nobody-there", "", "", []cty.Path{cty.GetAttrPath("owner"), cty.GetAttrPath("group")}},
		"both are right":     {"root", "root", "", nil},
		"nobody answers":     {"root", "root", "Lookup", []cty.Path{nil}},
		"only groups do not": {"root", "root", "LookupGroup", []cty.Path{nil}},
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
				t.Errorf("the error is %v", err)
			}
			got := diag.FromError("", err)
			if len(got) != len(tt.want) {
				t.Fatalf("%d errors, want %d: %v", len(got), len(tt.want), got)
			}
			for i, d := range got {
				if !d.Path.Equals(tt.want[i]) {
					t.Errorf("%v is blamed, want %v: %v", d.Path, tt.want[i], d)
				}
			}
		})
	}
}

// An owner in the form of chown gets the remedy that works here.
func TestOwnerWithGroup(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Users: []host.User{{Name: "root"}}, Groups: []host.Group{{Name: "root"}}})
	_, err := access.Resolve(t.Context(), h, 0o600, new("root:adm"), nil)
	if err == nil || !strings.Contains(err.Error(), `set owner = "root" and group = "adm"`) {
		t.Errorf("error %v", err)
	}
}
