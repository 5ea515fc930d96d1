package tree

import "encoding/base64"

// text is a manifest as an attribute has it: in private data it would be lost where a run dies in an
// apply, as clients then keep what state had, and of that the attributes alone.
func (m manifest) text() string { return base64.StdEncoding.EncodeToString(m.pack()) }

// recorded is what was seen last, or was brought since. Of an import there is nothing yet.
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
