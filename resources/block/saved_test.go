package block_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestChangedAfterPlan checks that an update does not replace a block that the plan did not show.
func TestChangedAfterPlan(t *testing.T) {
	t.Parallel()
	block := func(content string) resourcetest.Attrs {
		return resourcetest.Attrs{
			"path": cty.StringVal("/etc/saved"), "name": cty.StringVal("web"), "content": cty.StringVal(content), "create_mode": cty.StringVal("0644"),
		}
	}
	saved := resourcetest.SavedPlan{
		Types: types, TypeName: "posix_file_block", Old: block("old"), New: block("new\n"), Path: "/etc/saved", Attribute: "name",
		Part: "the block web of /etc/saved",
	}
	for name, tt := range map[string]struct{ edited, again string }{
		"content":  {blocked("by hand\n"), blocked("by hand\nagain\n")},
		"comments": {"; BEGIN posix_file_block web\nold\n; END posix_file_block web\n", "; BEGIN posix_file_block web\nold\n# END posix_file_block web\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			saved := saved
			saved.Host, saved.Edited, saved.Again = resourcetest.NewRootHost(t, saved.Path), tt.edited, tt.again
			saved.Run(t)
		})
	}
}
