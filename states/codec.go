package states

import (
	"reflect"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// maxCodecs is more than the types that one run uses.
const maxCodecs = 1024

// codecs are kept by the attributes of their types, by which a type is found
// again without comparing it. An entry holds its type, so that no other one can
// come to lie where it does.
var codecs = struct {
	sync.RWMutex
	by map[uintptr]codecEntry
}{by: map[uintptr]codecEntry{}}

type codecEntry struct {
	ty    cty.Type
	codec *wire.Codec
}

// codecOf is the codec of the type, compiled once for one who keeps its types.
func codecOf(ty cty.Type) *wire.Codec {
	if ty == cty.NilType || !ty.IsObjectType() {
		return wire.NewCodec(ty)
	}
	key := reflect.ValueOf(ty.AttributeTypes()).Pointer()
	codecs.RLock()
	entry := codecs.by[key]
	codecs.RUnlock()
	if entry.codec != nil {
		return entry.codec
	}
	entry = codecEntry{ty: ty, codec: wire.NewCodec(ty)}
	codecs.Lock()
	defer codecs.Unlock()
	if len(codecs.by) >= maxCodecs {
		clear(codecs.by)
	}
	codecs.by[key] = entry
	return entry.codec
}
