package runtime

import (
	"context"
	"reflect"

	"github.com/posixform/terraform-provider-posix/provider"
)

// TypedDataSource is implemented by every data source: it reads something and changes
// nothing. The fields of the receiver are the configuration. Like the inputs of a
// resource, the receiver may have the methods of [Defaulter], [Constrainer],
// [InputValidator] and [Describer].
//
// Out is a pointer to a struct. A field that only Out has is computed. For a field
// that the receiver has too, Read returns the configured value or an equivalent one; the response
// has the configured value. If the field is tagged computed in Out, Read sets the value
// where it is not configured.
type TypedDataSource[Out, Config any] interface {
	// Read returns the data. It returns [ErrNotFound], or an error that wraps it, if
	// there is no such object; unlike for a resource, the run then fails.
	// [Defer] defers the data to a later run.
	Read(ctx context.Context, cfg Config) (Out, error)
}

// dataSourcePtr lets MakeDataSource construct receivers without reflection.
type dataSourcePtr[In, Out, Config any] interface {
	*In
	TypedDataSource[Out, Config]
}

// DataSourceRegistration registers a data source type in a [Definition]. The zero
// value is not usable.
type DataSourceRegistration struct{ registration[dataSource] }

// MakeDataSource registers the data source type with the inputs In, a struct with
// the methods of [TypedDataSource] on its pointer. [New] returns an error for an
// invalid type.
func MakeDataSource[In, Out, Config any, P dataSourcePtr[In, Out, Config]]() DataSourceRegistration {
	return MakeDataSourceWith[In, Out, Config](func() P { return new(In) })
}

// MakeDataSourceWith is [MakeDataSource] with a constructor, for receivers with more
// than inputs (unexported fields or fields tagged `tf:"-"`). The constructor is called for each receiver,
// possibly concurrently.
func MakeDataSourceWith[In, Out, Config any, P dataSourcePtr[In, Out, Config]](construct func() P) DataSourceRegistration {
	return DataSourceRegistration{lazily(func() (*dataSource, error) {
		p, err := newProducer[In, Out, Config]("data source", "Read", construct)
		return &dataSource{producer: p, read: func(ctx context.Context, in inputs, cfg any) (reflect.Value, error) {
			out, err := in.pointer.(P).Read(ctx, cfg.(Config)) //nolint:forcetypeassert // made by construct; checked by New
			return outValue(out), err
		}}, err
	})}
}

// dataSource is a registered data source type.
type dataSource struct {
	producer
	read produce
}

// ValidateDataResourceConfig implements [provider.Interface].
func (s *server) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	d := s.dataSources[req.TypeName]
	if d == nil {
		return provider.ValidateDataResourceConfigResponse{Diagnostics: unknownTypeOf("data source", req.TypeName)}
	}
	c := &call{typeName: req.TypeName, form: d.form}
	return provider.ValidateDataResourceConfigResponse{Diagnostics: d.check(ctx, c, req.Config, d.fresh)}
}

// ReadDataSource implements [provider.Interface].
func (s *server) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) (resp provider.ReadDataSourceResponse) {
	d := s.dataSources[req.TypeName]
	if d == nil {
		resp.Diagnostics = unknownTypeOf("data source", req.TypeName)
		return resp
	}
	resp.State = d.null
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: d.form}
	err := c.guardPanic(ctx, "ReadDataSource", func() (err error) {
		if err = s.readMeta(ctx, c, req.ProviderMeta); err != nil {
			return err
		}
		resp.State, err = s.produce(ctx, c, &d.producer, req.Config, d.read)
		return err
	})
	if resp.Deferred, err = deferredBy(err, req.ClientCapabilities); resp.Deferred != nil {
		resp.State = d.placeholder(req.Config)
	}
	resp.Diagnostics = c.diagnostics("Cannot read "+req.TypeName, err)
	return resp
}
