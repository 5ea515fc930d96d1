package lang

import (
	goruntime "runtime"
	"sync"
	"weak"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// schemaCache caches a value for each schema. Schemas are immutable. A value is dropped
// with its schema, because each test case has new schemas; so values must not refer to
// their schemas.
type schemaCache[T any] struct {
	m sync.Map // weak.Pointer[configschema.Block] to *T
}

// of returns the value of a schema that is not nil.
func (c *schemaCache[T]) of(schema *configschema.Block, compute func(*configschema.Block) *T) *T {
	key := weak.Make(schema)
	if found, ok := c.m.Load(key); ok {
		return found.(*T) //nolint:forcetypeassert // all values have this type
	}
	value, raced := c.m.LoadOrStore(key, compute(schema))
	if !raced {
		goruntime.AddCleanup(schema, func(key weak.Pointer[configschema.Block]) { c.m.Delete(key) }, key)
	}
	return value.(*T) //nolint:forcetypeassert // all values have this type
}
