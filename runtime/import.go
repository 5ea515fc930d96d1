package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/identity"
	"github.com/posixform/terraform-provider-posix/provider"
)

// ImportResourceState implements [provider.Interface]. It reads the object, so that the
// imported state is complete and a missing object is an error with its import ID or identity.
func (s *server) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	m := s.resources[req.TypeName]
	if m == nil {
		return provider.ImportResourceStateResponse{Diagnostics: unknownType(req.TypeName)}
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: req.TypeName, form: m.form, imports: true}
	var resp provider.ImportResourceStateResponse
	var imported provider.ImportedResource
	err := c.guardPanic(ctx, "ImportResourceState", func() (err error) {
		imported, err = s.importObject(ctx, c, m, req)
		return err
	})
	if resp.Deferred, err = deferredBy(err, req.ClientCapabilities); resp.Deferred != nil {
		// A deferred import has no known object.
		imported = provider.ImportedResource{State: cty.UnknownVal(m.ctyType), Identity: req.Identity}
	}
	if !failed(err) {
		imported.TypeName = req.TypeName
		resp.ImportedResources = []provider.ImportedResource{imported}
	}
	resp.Diagnostics = c.diagnostics("Cannot import "+req.TypeName, err)
	return resp
}

func (s *server) importObject(ctx context.Context, c *call, m *managed, req provider.ImportResourceStateRequest) (provider.ImportedResource, error) {
	var none provider.ImportedResource
	cfg, err := s.configFor(m.configType)
	if err != nil {
		return none, err
	}
	r := m.newReceiver()
	var start reflect.Value
	located := c.guardPanic(ctx, "Import", func() (err error) {
		start, err = m.locate(c.context(ctx), r, cfg, req)
		return err
	})
	if failed(located) {
		return none, importError(req, located)
	}
	if err := m.copyShared(start, r); err != nil {
		return none, errors.Join(located, err)
	}
	given := c.take()
	out, read := m.callRead(ctx, c, r, cfg, start)
	ofRead := c.take()
	c.addPlaced(given)
	if absent(read) { // without the warnings of Read, which are about an object in the state
		reason := ""
		if text := strings.TrimPrefix(errorText(read), ErrNotFound.Error()+": "); text != ErrNotFound.Error() {
			reason = ": " + text
		}
		return none, errors.Join(located, warningsOf(read), fmt.Errorf("there is no %s %s to import%s", req.TypeName, subject(req), reason))
	}
	c.addPlaced(ofRead)
	warnings := errors.Join(located, read) // only warnings, unless Read failed
	if failed(warnings) {
		return none, warnings
	}
	imported := provider.ImportedResource{}
	if imported.State, err = m.importedState(r, out); err != nil {
		return none, errors.Join(warnings, err)
	}
	if imported.Private, err = (privateState{Data: c.private.data}).bytes(); err != nil {
		return none, errors.Join(warnings, err)
	}
	if m.identity != nil {
		imported.Identity, err = m.callIdentity(ctx, c, r, cfg, out, cty.NilVal)
	}
	return imported, errors.Join(warnings, err)
}

// locate returns the outputs that Read starts from for an import ID or identity. The error may
// consist of warnings only.
func (m *managed) locate(ctx context.Context, r receiver, cfg any, req provider.ImportResourceStateRequest) (reflect.Value, error) {
	if m.identity == nil {
		switch {
		case m.importByID == nil:
			return reflect.Value{}, errors.New("this resource type cannot be imported")
		case usable(req.Identity):
			return reflect.Value{}, errors.New("this resource type has no identity; import it by ID")
		case req.ID == "":
			return reflect.Value{}, errors.New("the import ID is empty")
		}
		out, err := m.importByID(ctx, r, cfg, req.ID)
		if !out.IsValid() && !failed(err) {
			err = errors.Join(err, errNoOutput("ImportByID"))
		}
		return out, err
	}
	if err := identity.CheckImport(m.identity.schema, req.ID, req.Identity); err != nil {
		return reflect.Value{}, ofIdentity(err)
	}
	var id reflect.Value
	var warnings error
	if usable(req.Identity) {
		id = reflect.New(m.identity.goType).Elem()
		d := decoder{strict: true}
		d.object(m.identity.fields, req.Identity, id)
		if err := d.err(); err != nil {
			return reflect.Value{}, ofIdentity(err)
		}
	} else {
		if id, warnings = m.identity.parseID(r, req.ID); failed(warnings) {
			return reflect.Value{}, warnings
		}
	}
	out, err := m.identity.find(ctx, m, r, cfg, id)
	return out, errors.Join(warnings, err)
}

// ofIdentity moves the paths of errors about an identity into their text: as paths
// they would refer to the configuration of the object.
func ofIdentity(err error) error {
	var errs []error
	for _, d := range diag.FromError("", err) {
		text := d.Detail
		if len(d.Path) > 0 {
			text = diag.FormatPath(d.Path) + " in the identity: " + text
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// subject returns the import ID or identity for messages; neither is secret.
func subject(req provider.ImportResourceStateRequest) string {
	if req.ID != "" {
		return fmt.Sprintf("%q", req.ID)
	}
	return "with the identity " + identityText(req.Identity)
}

// identityText returns the names of the attributes of an identity that are set, with the
// values of strings and numbers.
func identityText(id cty.Value) string {
	var parts []string
	for name, v := range id.Elements() {
		switch {
		case !usable(v):
		case v.Type() == cty.String:
			parts = append(parts, name.AsString()+" = "+strconv.Quote(v.AsString()))
		case v.Type() == cty.Number:
			parts = append(parts, name.AsString()+" = "+v.AsBigFloat().Text('g', -1))
		default:
			parts = append(parts, name.AsString())
		}
	}
	return strings.Join(parts, ", ")
}

// importError adds the import ID, if there is one, to an error without a diagnostic.
func importError(req provider.ImportResourceStateRequest, err error) error {
	var d diag.Diagnostic
	if req.ID == "" || errors.As(err, &d) {
		return err
	}
	return fmt.Errorf("import ID %q: %w", req.ID, err)
}

// copyShared copies to the receiver the inputs that are also outputs. Zero outputs
// are not copied: Read finds their values, and a type that parses its text may
// return an error for an empty one.
func (m *managed) copyShared(out reflect.Value, r receiver) error {
	var d decoder
	for _, a := range m.ins {
		if a.out == nil || a.out.in(out).IsZero() {
			continue
		}
		v, err := encoder{}.field(a.out, out, cty.NilVal)
		if err != nil {
			return err
		}
		d.value(a.in.node, v, a.in.in(r.value))
	}
	return d.err()
}

// importedState returns the state of an existing object: its outputs, and the other inputs as if
// they were not configured, so that a configuration without them plans no change. Inputs without
// a default keep what the import has set.
func (m *managed) importedState(r receiver, out reflect.Value) (cty.Value, error) {
	attrs := make(map[string]cty.Value, len(m.attrs))
	for _, a := range m.attrs {
		var err error
		switch {
		case a.writeOnly() || a.transient:
			attrs[a.name] = a.node.null
		case a.out == nil && a.class == classDefault:
			attrs[a.name] = a.in.fallback()
		case a.out == nil:
			attrs[a.name], err = encoder{}.inputOrNull(a, r.value)
		case a.class == classOptional && !a.block() && a.out.in(out).IsZero():
			attrs[a.name] = a.node.null
		default:
			attrs[a.name], err = encoder{}.field(a.out, out, cty.NilVal)
		}
		if err != nil {
			return cty.NilVal, err
		}
	}
	return cty.ObjectVal(attrs), nil
}

// inputOrNull encodes an input that the import may have set; the zero value becomes null, except
// that of a block.
func (e encoder) inputOrNull(a *attribute, receiver reflect.Value) (cty.Value, error) {
	if a.in.in(receiver).IsZero() && !a.in.block {
		return a.node.null, nil
	}
	return e.field(a.in, receiver, cty.NilVal)
}
