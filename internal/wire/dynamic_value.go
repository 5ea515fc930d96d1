package wire

import (
	"bytes"
	"sync"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// scratch has buffers for encoding, so that the result is allocated once, with its
// size. Large buffers are not kept.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 1 << 20

// DecodeDynamic decodes a value of the protocol. Nil and an empty value are a typed
// null. If it has both forms, msgpack counts.
func (c *Codec) DecodeDynamic(dv *tfplugin.DynamicValue) (cty.Value, error) {
	switch {
	case dv == nil:
		return c.Null(), nil
	case len(dv.MsgPack) > 0:
		return c.DecodeMsgpack(dv.MsgPack)
	case len(dv.JSON) > 0:
		return c.DecodeJSON(dv.JSON)
	default:
		return c.Null(), nil
	}
}

// EncodeDynamic encodes a value for the protocol, as msgpack. For [cty.NilVal] it
// returns nil.
func (c *Codec) EncodeDynamic(v cty.Value) (*tfplugin.DynamicValue, error) {
	if v == cty.NilVal {
		return nil, nil
	}
	buf := scratch.Get().(*[]byte)
	out, err := c.AppendMsgpack((*buf)[:0], v)
	if cap(out) <= maxScratch {
		*buf = out
		defer scratch.Put(buf)
	}
	if err != nil {
		return nil, err
	}
	if cap(out) > maxScratch {
		return &tfplugin.DynamicValue{MsgPack: out}, nil
	}
	return &tfplugin.DynamicValue{MsgPack: bytes.Clone(out)}, nil
}
