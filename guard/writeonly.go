package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// writeOnlyValues returns the write-only attributes in v that are not null. The type
// of v may differ from that of the schema.
func writeOnlyValues(schema *configschema.Block, v cty.Value) (found []part) {
	if !schema.ContainsWriteOnly() {
		return nil
	}
	_ = cty.Walk(v, func(path cty.Path, value cty.Value) (bool, error) {
		if !isWriteOnlyAt(schema, path) {
			return true, nil
		}
		if !value.IsNull() {
			found = append(found, part{path: path.Copy(), value: value})
		}
		return false, nil
	})
	return found
}

// withoutWriteOnly returns v with null write-only attributes.
func withoutWriteOnly(schema *configschema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, part cty.Value) (cty.Value, error) {
		if isWriteOnlyAt(schema, path) && !part.IsNull() {
			return cty.NullVal(part.Type()), nil
		}
		return part, nil
	})
	if err != nil {
		return cty.NullVal(v.Type()) // unreachable: the callback has no errors
	}
	return out
}

// isWriteOnlyAt reports whether path ends at a write-only attribute or inside one.
func isWriteOnlyAt(schema *configschema.Block, path cty.Path) bool {
	if len(path) == 0 {
		return false
	}
	attr := schema.AttributeByPath(path)
	return attr != nil && attr.WriteOnly
}
