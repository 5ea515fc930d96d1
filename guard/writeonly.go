package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// secrets are the write-only attributes in v that are not null. The value may
// have another type than the schema's.
func secrets(schema *configschema.Block, v cty.Value) (found []part) {
	if !schema.ContainsWriteOnly() {
		return nil
	}
	_ = cty.Walk(v, func(path cty.Path, value cty.Value) (bool, error) {
		if !writeOnlyAt(schema, path) {
			return true, nil
		}
		if !value.IsNull() {
			found = append(found, part{path: path.Copy(), value: value})
		}
		return false, nil
	})
	return found
}

// withoutSecrets is v with its write-only attributes null.
func withoutSecrets(schema *configschema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, part cty.Value) (cty.Value, error) {
		if writeOnlyAt(schema, path) && !part.IsNull() {
			return cty.NullVal(part.Type()), nil
		}
		return part, nil
	})
	if err != nil {
		return cty.NullVal(v.Type()) // unreachable: the callback has no errors
	}
	return out
}

// writeOnlyAt reports whether path ends at a write-only attribute or inside one.
func writeOnlyAt(schema *configschema.Block, path cty.Path) bool {
	if len(path) == 0 {
		return false
	}
	attr := schema.AttributeByPath(path)
	return attr != nil && attr.WriteOnly
}
