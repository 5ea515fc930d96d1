package wire_test

import (
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// TestErrorsInsideSets checks that an error inside an element of a set has the
// path of the set, because elements have no names.
func TestErrorsInsideSets(t *testing.T) {
	t.Parallel()
	codec := wire.NewCodec(cty.Object(map[string]cty.Type{"links": cty.Set(cty.Object(map[string]cty.Type{"page": cty.String}))}))
	for name, decode := range map[string]func() (cty.Value, error){
		"JSON":    func() (cty.Value, error) { return codec.DecodeStateJSON([]byte(`{"links":[{"page":[]}]}`)) },
		"msgpack": func() (cty.Value, error) { return codec.DecodeMsgpack([]byte("\x81\xa5links\x91\x81\xa4page\xc1")) },
	} {
		_, err := decode()
		var at cty.PathError
		if !errors.As(err, &at) || !at.Path.Equals(cty.GetAttrPath("links")) {
			t.Errorf("%s: %v at %#v", name, err, at.Path)
		}
	}
}
