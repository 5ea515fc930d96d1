package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// MetaRegistration registers a provider_meta block in a [Definition]. The zero value
// is for a provider without the block.
type MetaRegistration struct {
	meta *metaPlan
	err  error
}

// metaPlan decodes a provider_meta block. It is immutable.
type metaPlan struct {
	*form
	goType reflect.Type
	fresh  func() reflect.Value
}

// MakeMeta registers the provider_meta block, with which a module sends information
// about itself to the provider. Block is a struct, which may have the methods of
// [Defaulter], [Constrainer] and [Describer]. Methods of resources and data sources
// read it with [Meta]. [New] returns an error for an invalid struct.
//
// No RPC validates the block. A mistake in it is therefore an error of each plan (except that
// of a destroy), read and apply of an object in that module.
func MakeMeta[Block any]() MetaRegistration {
	m := &metaPlan{
		goType: reflect.TypeFor[Block](),
		fresh:  func() reflect.Value { return reflect.ValueOf(new(Block)).Elem() },
	}
	var err error
	m.form, err = configuredForm(m.goType, m.fresh, nil, "provider_meta block")
	return MetaRegistration{meta: m, err: err}
}

// Meta returns the provider_meta block of the module that contains the object of ctx. It
// returns false and an empty block if the module has none, and while one of its
// values is unknown, unless all unknown values are in fields of type [Value].
//
// ctx must be that of a method of a resource or a data source that plans, reads or
// applies; other requests contain no provider_meta. Block must be the type registered with
// [MakeMeta]; with a different type, the request fails.
func Meta[Block any](ctx context.Context) (Block, bool) {
	c := callFrom(ctx)
	if c == nil || !c.meta.available {
		return *new(Block), false
	}
	if p := c.meta.plan; p == nil || p.goType != reflect.TypeFor[Block]() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.warnings = c.warnings.Errorf(nil, "Provider bug: unknown provider_meta",
			"A method of %s called Meta with the type %s, which was not registered with MakeMeta; please report this.", c.typeName, reflect.TypeFor[Block]())
		return *new(Block), false
	}
	if !c.meta.block.IsValid() {
		return *new(Block), false
	}
	block, ok := reflect.TypeAssert[Block](c.meta.block)
	return block, ok
}

// metaOf is the provider_meta of a call.
type metaOf struct {
	available bool          // whether requests of this kind have provider_meta
	plan      *metaPlan     // nil if the provider has none
	block     reflect.Value // a Block; invalid if there is none or an unknown value is not in a Value
}

// readMeta decodes the provider_meta of a request into c.meta. Its errors have no path, because
// a path would refer to the object's own attributes.
func (s *server) readMeta(ctx context.Context, c *call, v cty.Value) error {
	c.meta = metaOf{available: true, plan: s.meta}
	if s.meta == nil || !usable(v) {
		return nil
	}
	d := decoder{strict: true, defaults: true}
	block := s.meta.fresh()
	err := c.guardPanic(ctx, "UnmarshalText", func() error {
		s.meta.decodeConfig(&d, v, block)
		return d.err()
	})
	diags := s.meta.rules.check(v, nil, diag.FromError(invalidValue, err))
	if diags.HasErrors() {
		return withoutPaths(diags)
	}
	if d.unknowns == 0 {
		c.meta.block = block
	}
	return nil
}

func withoutPaths(diags diag.Diagnostics) error {
	var errs []error
	for _, m := range diags {
		where := "the provider_meta block of the module"
		if len(m.Path) > 0 {
			where = fmt.Sprintf("%s of %s", diag.FormatPath(m.Path), where)
		}
		errs = append(errs, diag.Diagnostic{Severity: m.Severity, Summary: "Invalid provider_meta", Detail: fmt.Sprintf("%s (in %s).", m.Detail, where)})
	}
	return errors.Join(errs...)
}
