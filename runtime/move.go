package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Move declares a resource type whose objects can be moved to the declaring type.
// [MoveFrom] returns one.
type Move struct {
	provider string
	typeName string
	in, out  reflect.Type
	err      error
	move     func(ctx context.Context, state []byte) (in, out reflect.Value, err error)
}

// MoveFrom declares that objects of the type typeName of a provider can be moved to this
// type. The provider is written as namespace/type ("hashicorp/local") for any registry,
// or as its full address; the empty string means this provider, in any namespace. Old is a struct
// with the attributes of the source that matter; other attributes are ignored and
// missing attributes are zero. The function move returns the inputs that the target would have and the
// outputs that its Create would have returned, and changes nothing.
func MoveFrom[Old, In, Out any](providerName, typeName string, move func(ctx context.Context, old Old) (In, *Out, error)) Move {
	fields, err := compileFields(reflect.TypeFor[Old]())
	m := Move{provider: providerName, typeName: typeName, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), err: err}
	if err != nil {
		return m
	}
	codec := wire.NewCodec(objectType(fields))
	m.move = func(ctx context.Context, state []byte) (reflect.Value, reflect.Value, error) {
		var none reflect.Value
		if len(state) == 0 {
			return none, none, errors.New("the source was stored by Terraform 0.11 or older in a format that cannot be moved; first apply the source under its old type and address")
		}
		v, err := codec.DecodeStateJSON(state)
		if err != nil {
			return none, none, err
		}
		if !usable(v) {
			return none, none, errors.New("the source has no state")
		}
		var old Old
		var d decoder
		d.object(fields, v, reflect.ValueOf(&old).Elem())
		if err := d.err(); err != nil {
			return none, none, err
		}
		in, out, err := move(ctx, old)
		if out == nil && !failed(err) {
			err = errors.Join(err, errNoOutput("Moves"))
		}
		if failed(err) {
			return none, none, err
		}
		return reflect.ValueOf(&in).Elem(), reflect.ValueOf(out).Elem(), err
	}
	return m
}

func (m Move) check(in, out reflect.Type) error {
	switch {
	case m.err != nil:
		return fmt.Errorf("from %s: %w", m.typeName, m.err)
	case m.move == nil:
		return errors.New("a move is empty; use MoveFrom")
	case m.in != in || m.out != out:
		return fmt.Errorf("from %s: the function returns %s and %s, but this resource has the inputs %s and the outputs %s", m.typeName, m.in, m.out, in, out)
	}
	return nil
}

// from reports whether m moves objects of the source of req; target is the name of the type that declares m.
func (m Move) from(req provider.MoveResourceStateRequest, target string) bool {
	if req.SourceTypeName != m.typeName {
		return false
	}
	if m.provider == "" {
		own, _, _ := strings.Cut(target, "_")
		return strings.HasSuffix(req.SourceProviderAddress, "/"+own)
	}
	return req.SourceProviderAddress == m.provider || strings.HasSuffix(req.SourceProviderAddress, "/"+m.provider)
}

// MoveResourceState implements [provider.Interface].
func (s *server) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	m := s.resources[req.TargetTypeName]
	if m == nil {
		return provider.MoveResourceStateResponse{Diagnostics: unknownType(req.TargetTypeName)}
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TargetTypeName, pathless: true}
	resp := provider.MoveResourceStateResponse{}
	err := c.guardPanic(ctx, "Moves", func() (err error) {
		resp.TargetState, resp.TargetIdentity, err = s.moved(c.context(ctx), m, req)
		return err
	})
	if !failed(err) {
		var bytesErr error
		resp.TargetPrivate, bytesErr = privateState{Moved: true, Data: c.private.data}.bytes()
		err = errors.Join(err, bytesErr)
	}
	resp.Diagnostics = c.diagnostics("Cannot move "+req.SourceTypeName+" to "+req.TargetTypeName, err)
	return resp
}

func (s *server) moved(ctx context.Context, m *managed, req provider.MoveResourceStateRequest) (state, id cty.Value, err error) {
	for _, move := range m.moves {
		if !move.from(req, m.typeName) {
			continue
		}
		in, out, warnings := move.move(ctx, req.SourceStateJSON)
		if failed(warnings) {
			return state, id, warnings
		}
		r := m.newReceiver()
		for _, a := range m.ins { // the constructor may have set other fields
			a.in.in(r.value).Set(a.in.in(in))
		}
		if state, err = m.movedState(r, out); err != nil || m.identity == nil {
			return state, id, errors.Join(warnings, err)
		}
		// The provider may not be configured yet when objects are moved. The first
		// Read then adds the identity.
		cfg, err := s.configFor(m.configType)
		if err != nil {
			return state, id, warnings
		}
		id, err = m.identity.of(r, cfg, out, cty.NilVal)
		return state, id, errors.Join(warnings, err)
	}
	return state, id, fmt.Errorf("objects of %s from %s cannot be moved to %s; %s", req.SourceTypeName, req.SourceProviderAddress, req.TargetTypeName, m.movable())
}

// movedState returns the state of inputs and outputs. An input that the move does
// not set is as if it were not configured.
func (m *managed) movedState(r receiver, out reflect.Value) (cty.Value, error) {
	attrs := make(map[string]cty.Value, len(m.attrs))
	for _, a := range m.attrs {
		var err error
		unset := a.in != nil && a.in.in(r.value).IsZero()
		switch {
		case a.writeOnly() || a.transient:
			attrs[a.name] = a.node.null
		case a.out != nil && (a.class == classComputed || a.class == classChosen) && a.out.in(out).IsZero():
			// Values that the move does not set are adopted when they are read, and
			// are not drift.
			attrs[a.name] = a.node.null
		case a.out != nil && !(unset && a.class == classOptional && !a.block()):
			attrs[a.name], err = encoder{}.field(a.out, out, cty.NilVal)
		case unset && a.class == classDefault:
			attrs[a.name] = a.in.fallback()
		default:
			attrs[a.name], err = encoder{}.inputOrNull(a, r.value)
		}
		if err != nil {
			return cty.NilVal, err
		}
	}
	return cty.ObjectVal(attrs), nil
}

// movable returns the possible sources of a move for messages.
func (m *managed) movable() string {
	if len(m.moves) == 0 {
		return "no other types can be moved to this resource type"
	}
	names := make([]string, len(m.moves))
	for i, move := range m.moves {
		names[i] = move.typeName
		if move.provider != "" {
			names[i] += " of " + move.provider
		}
	}
	return "the types that can be moved are " + strings.Join(names, ", ")
}
