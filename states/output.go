package states

import (
	"encoding/json"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// OutputValue is the value that an output had at the end of the last run. It is
// never changed once made.
type OutputValue struct {
	Addr addrs.AbsOutputValue
	// Value has no marks.
	Value     cty.Value
	Sensitive bool
	// Extra is what a file said about the output that no field here is for.
	Extra map[string]json.RawMessage
}

// DeepCopy is a copy of the value. A cty value cannot be changed, so it may be
// shared.
func (o *OutputValue) DeepCopy() *OutputValue {
	if o == nil {
		return nil
	}
	out := *o
	out.Extra = copyExtra(o.Extra)
	return &out
}

func copyExtra(in map[string]json.RawMessage) map[string]json.RawMessage {
	if in == nil {
		return nil
	}
	out := make(map[string]json.RawMessage, len(in))
	for name, raw := range in {
		out[name] = append(json.RawMessage(nil), raw...)
	}
	return out
}
