package runtime

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestFlatmapObjectOfDynamicTypes checks that a flat state of a type with a dynamic attribute is
// an error only if the state has that attribute: the attribute may be newer than the state.
func TestFlatmapObjectOfDynamicTypes(t *testing.T) {
	t.Parallel()
	types := map[string]cty.Type{"name": cty.String, "extra": cty.DynamicPseudoType}
	for name, tt := range map[string]struct {
		flat map[string]string
		want string // empty for an error
	}{
		"newer attribute":      {map[string]string{"name": "a", "extras": "x"}, `{"name":"a"}`},
		"stored value":         {map[string]string{"name": "a", "extra": "x"}, ""},
		"part of stored value": {map[string]string{"name": "a", "extra.%": "0"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := flatmapObject(tt.flat, types)
			if string(got) != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("got %q and error %v, want %q (empty for an error)", got, err, tt.want)
			}
		})
	}
}
