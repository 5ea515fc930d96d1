package sidebyside

import (
	"slices"
	"testing"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// TestUndescribed checks that nested attributes are reported with their whole path.
func TestUndescribed(t *testing.T) {
	t.Parallel()
	attribute := &configschema.Attribute{Description: "B.", NestedType: &configschema.Object{
		Attributes: map[string]*configschema.Attribute{"c": {}},
	}}
	inner := configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{
		"b": {Block: configschema.Block{Attributes: map[string]*configschema.Attribute{"c": {}}}},
	}}
	got := undescribed("", &configschema.Block{
		Attributes: map[string]*configschema.Attribute{"x": {Description: "X.", NestedType: &configschema.Object{
			Attributes: map[string]*configschema.Attribute{"b": attribute},
		}}},
		BlockTypes: map[string]*configschema.NestedBlock{"y": {Block: inner}},
	})
	if want := []string{"x.b.c", "y.b.c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
