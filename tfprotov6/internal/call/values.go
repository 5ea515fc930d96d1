package call

import (
	"errors"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Decode decodes a value of the type that c is about. Role describes the value
// in diagnostics. If the value cannot be decoded, c fails and the result is [cty.NilVal].
// If c has no known type, the result is NilVal too.
func (c *Call) Decode(dv *tfplugin.DynamicValue, role string) cty.Value {
	return c.DecodeWith(c.codec, dv, role)
}

// DecodeWith is like [Call.Decode] for a value of the type of codec.
func (c *Call) DecodeWith(codec *wire.Codec, dv *tfplugin.DynamicValue, role string) cty.Value {
	if codec == nil {
		return cty.NilVal
	}
	v, err := codec.DecodeDynamic(dv)
	if err != nil {
		path, detail := describe(err)
		c.Errorf(path, "Value cannot be decoded",
			"The %s in %s of %s does not match its schema: %s. "+
				"Terraform and the provider may use different schemas, or one of them has a bug.", role, c.rpc, c.Subject(), detail)
		return cty.NilVal
	}
	return v
}

// Encode encodes a value of the type that c is about. Role describes the value
// in diagnostics. If the value cannot be encoded, c fails and the result is nil. It is
// also nil for [cty.NilVal], and if c has no known type.
func (c *Call) Encode(v cty.Value, role string) *tfplugin.DynamicValue {
	return c.EncodeWith(c.codec, v, role)
}

// EncodeWith is like [Call.Encode] for a value of the type of codec.
func (c *Call) EncodeWith(codec *wire.Codec, v cty.Value, role string) *tfplugin.DynamicValue {
	if codec == nil {
		return nil
	}
	dv, err := codec.EncodeDynamic(v)
	if err != nil {
		path, detail := describe(err)
		c.Errorf(path, "Value cannot be encoded",
			"The %s in %s of %s does not match its schema: %s. "+
				"This is a bug in the code that created the value; please report it to the provider's developers.", role, c.rpc, c.Subject(), detail)
	}
	return dv
}

// describe returns the path of an error, and its text with the path in front.
func describe(err error) (cty.Path, string) {
	at, ok := errors.AsType[cty.PathError](err)
	if !ok || len(at.Path) == 0 {
		return nil, err.Error()
	}
	return at.Path, diag.FormatPath(at.Path) + ": " + at.Error()
}

// DecodeMeta decodes the provider_meta of a module. It returns [cty.NilVal] if
// the provider has no schema for it.
func (c *Call) DecodeMeta(dv *tfplugin.DynamicValue) cty.Value {
	if c.schemas.meta == nil {
		return cty.NilVal
	}
	return c.DecodeWith(c.schemas.meta.get(), dv, "provider_meta")
}

// EncodeMeta encodes the provider_meta of a module. It returns nil if the
// provider has no schema for it.
func (c *Call) EncodeMeta(v cty.Value) *tfplugin.DynamicValue {
	if c.schemas.meta == nil {
		return nil
	}
	return c.EncodeWith(c.schemas.meta.get(), v, "provider_meta")
}

// DecodeIdentity decodes an identity of the type that c is about. It returns
// [cty.NilVal] if the type has no identity schema, and a null if data is nil.
func (c *Call) DecodeIdentity(data *tfplugin.ResourceIdentityData) cty.Value {
	lazy := c.schemas.identityTypes[c.typeName]
	switch {
	case lazy == nil:
		return cty.NilVal
	case data == nil:
		return lazy.get().Null()
	}
	return c.DecodeWith(lazy.get(), data.IdentityData, "identity")
}

// EncodeIdentity encodes an identity of the type that c is about. An identity of
// a type without an identity schema crashes clients, so it is an error here.
func (c *Call) EncodeIdentity(v cty.Value) *tfplugin.ResourceIdentityData {
	if v == cty.NilVal {
		return nil
	}
	lazy := c.schemas.identityTypes[c.typeName]
	if lazy == nil {
		c.Errorf(nil, "Identity without schema",
			"%s of %s has an identity, but the type has no identity schema. This is a bug in the provider; "+
				"please report it to the provider's developers.", c.rpc, c.Subject())
		return nil
	}
	dv := c.EncodeWith(lazy.get(), v, "identity")
	if dv == nil {
		return nil
	}
	return &tfplugin.ResourceIdentityData{IdentityData: dv}
}

// EncodeChunk returns the protocol form of a chunk of a state, without its diagnostics.
func EncodeChunk(chunk provider.StateChunk) tfplugin.StateByteChunk {
	return tfplugin.StateByteChunk{
		Bytes:       chunk.Bytes,
		TotalLength: chunk.TotalLength,
		Range:       tfplugin.StateByteRange{Start: chunk.Start, End: chunk.End},
	}
}

// DecodeChunk returns a chunk of a state, with diags, from its protocol form.
func DecodeChunk(chunk tfplugin.StateByteChunk, diags []*tfplugin.Diagnostic) provider.StateChunk {
	return provider.StateChunk{
		Bytes:       chunk.Bytes,
		TotalLength: chunk.TotalLength,
		Start:       chunk.Range.Start,
		End:         chunk.Range.End,
		Diagnostics: wire.DiagnosticsFromProto(diags),
	}
}
