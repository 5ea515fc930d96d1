package lang

import (
	goruntime "runtime"
	"sync"
	"weak"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// decoders has the decoder of each schema. Schemas are immutable. A decoder is dropped
// with its schema, because each test case has new schemas; so decoders must not refer to
// their schemas.
var decoders sync.Map // weak.Pointer[configschema.Block] to *decoder

func decoderOf(schema *configschema.Block) *decoder {
	if schema == nil {
		return newDecoder(nil)
	}
	key := weak.Make(schema)
	if found, ok := decoders.Load(key); ok {
		return found.(*decoder) //nolint:forcetypeassert // all values have this type
	}
	d, raced := decoders.LoadOrStore(key, newDecoder(schema))
	if !raced {
		goruntime.AddCleanup(schema, func(key weak.Pointer[configschema.Block]) { decoders.Delete(key) }, key)
	}
	return d.(*decoder) //nolint:forcetypeassert // all values have this type
}
