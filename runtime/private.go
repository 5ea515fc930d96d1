package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// privateState is what is stored beside an object for the provider's own use.
// Its bytes are empty while there is nothing to remember, which is nearly always.
type privateState struct {
	// Applied are the outputs of the last apply, kept only while what was read
	// since differs from them.
	Applied json.RawMessage `json:"applied,omitempty"`
	// Data is what the resource itself keeps; see [PrivateData].
	Data map[string][]byte `json:"data,omitempty"`
}

func parsePrivate(b []byte) (privateState, error) {
	var p privateState
	if len(b) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return privateState{}, fmt.Errorf("the stored private data of this object cannot be read: %w", err)
	}
	return p, nil
}

// bytes are what is stored: empty and not nil where there is nothing, which says
// that what was there before is not needed any more and has not been forgotten.
func (p privateState) bytes() ([]byte, error) {
	if len(p.Applied) == 0 && len(p.Data) == 0 {
		return []byte{}, nil
	}
	return json.Marshal(p)
}

// outputs turns the applied outputs back into a value, or NilVal where there
// are none or where the schema has another type for one. Outputs that no longer
// exist are dropped, new ones are null, as in a state.
func (p privateState) outputs(codec *wire.Codec) cty.Value {
	if len(p.Applied) == 0 {
		return cty.NilVal
	}
	v, err := codec.DecodeStateJSON(p.Applied)
	if err != nil || !usable(v) {
		return cty.NilVal
	}
	return v
}

// appliedJSON is the way back. The codec, and not the value, says what is of
// dynamic type: such a value is stored with its own type.
func appliedJSON(codec *wire.Codec, outputs cty.Value) (json.RawMessage, error) {
	return codec.AppendJSON(nil, outputs)
}

// PrivateData is what a resource remembers about an object out of the user's
// sight. It is stored in state in plain, so it is no place for secrets.
type PrivateData struct {
	data    map[string][]byte
	changed bool
}

// Private returns the private data of the object that ctx is about: in Create
// empty, in Read and Update what was stored, in Delete too. What is set is
// stored with the object. In the plan of an update it is what was stored, and nothing
// is set. Outside of a call of the runtime it is not stored.
func Private(ctx context.Context) *PrivateData {
	if c := callFrom(ctx); c != nil {
		return &c.private
	}
	return &PrivateData{}
}

// Get returns the bytes under key, nil where there are none. They must not be
// changed.
func (p *PrivateData) Get(key string) []byte { return p.data[key] }

// Set stores value under key; nil removes the key.
func (p *PrivateData) Set(key string, value []byte) {
	if !p.changed {
		p.data, p.changed = maps.Clone(p.data), true
	}
	if value == nil {
		delete(p.data, key)
		return
	}
	if p.data == nil {
		p.data = make(map[string][]byte, 1)
	}
	p.data[key] = value
}
