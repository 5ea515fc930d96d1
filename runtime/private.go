package runtime

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// privateState is stored with an object for the provider's own use. Its bytes are
// empty if there is nothing to store, as is nearly always the case.
type privateState struct {
	// Applied are the outputs of the last apply, stored only while the values read
	// since then differ from them.
	Applied json.RawMessage `json:"applied,omitempty"`
	// Moved is true from the move of an object of another type until its first read or update.
	Moved bool `json:"moved,omitempty"`
	// Data is the data that the resource has set; see [PrivateData].
	Data map[string][]byte `json:"data,omitempty"`
}

// parsePrivate decodes the stored form. Data in a different form, such as that of the library with which
// the type was built before, is dropped, because a provider can do without private data.
func parsePrivate(b []byte) privateState {
	var p privateState
	if len(b) > 0 && json.Unmarshal(b, &p) != nil {
		return privateState{}
	}
	return p
}

// bytes returns the stored form. It is empty and not nil if there is nothing to store:
// package guard rejects nil in place of older data.
func (p privateState) bytes() ([]byte, error) {
	if len(p.Applied) == 0 && len(p.Data) == 0 && !p.Moved {
		return []byte{}, nil
	}
	return json.Marshal(p)
}

// outputs decodes the applied outputs. It returns NilVal if there are none or if the
// schema has a different type for one of them. Outputs that no longer exist are dropped; new
// ones are null, as in a state.
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

// PrivateData is data that a resource stores with an object and that users do not see.
// It is stored in the state as plain text, so it must not contain secrets.
type PrivateData struct {
	data    map[string][]byte
	changed bool
}

// Private returns the private data of the object of ctx: the stored data, or empty data in
// Create, an import or a move. Changes in these three, in Read and in Update are stored with the
// object; changes during plan are dropped. Outside of a call of the runtime, nothing is stored.
func Private(ctx context.Context) *PrivateData {
	if c := callFrom(ctx); c != nil {
		return &c.private
	}
	return &PrivateData{}
}

// Get returns the bytes under key, nil if there are none. They must not be changed.
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
