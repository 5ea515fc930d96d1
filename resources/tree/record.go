package tree

import "encoding/base64"

// text returns a manifest in the form of an attribute. In private data it would be lost if
// a run dies during an apply, because clients then keep only the attributes of the prior
// state.
func (m manifest) text() string { return base64.StdEncoding.EncodeToString(m.pack()) }

// recorded returns the manifest of the last read or apply; empty after an import.
func (o *Output) recorded() (manifest, error) {
	if o == nil || o.Record == "" {
		return nil, nil
	}
	packed, err := base64.StdEncoding.DecodeString(o.Record)
	if err != nil || len(packed) == 0 {
		return nil, errRecord
	}
	return unpack(packed)
}
