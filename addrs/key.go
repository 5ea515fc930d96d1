package addrs

import (
	"cmp"
	"strconv"

	"github.com/zclconf/go-cty/cty"
)

// InstanceKey identifies an instance of a block: NoKey without count or for_each, an
// IntKey with count, a StringKey with for_each. Keys are comparable.
type InstanceKey interface {
	instanceKey()
	// String returns the key in brackets: `[0]` or `["a"]`.
	String() string
	// Value returns the value of count.index or each.key.
	Value() cty.Value
}

// NoKey is the key of the only instance of a block without repetition.
var NoKey InstanceKey

// IntKey is an index of count.
type IntKey int

// StringKey is a key of for_each.
type StringKey string

func (IntKey) instanceKey()    {}
func (StringKey) instanceKey() {}

// String returns the index in brackets.
func (k IntKey) String() string { return "[" + strconv.Itoa(int(k)) + "]" }

// Value returns the index as a number.
func (k IntKey) Value() cty.Value { return cty.NumberIntVal(int64(k)) }

// String returns the key as a quoted string in brackets.
func (k StringKey) String() string { return "[" + quote(string(k)) + "]" }

// Value returns the key as a string.
func (k StringKey) Value() cty.Value { return cty.StringVal(string(k)) }

// KeyString returns the key in brackets, or "" for NoKey.
func KeyString(k InstanceKey) string {
	if k == nil {
		return ""
	}
	return k.String()
}

// CompareKeys orders keys: NoKey, then numbers, then strings.
func CompareKeys(a, b InstanceKey) int {
	switch a := a.(type) {
	case IntKey:
		if b, ok := b.(IntKey); ok {
			return cmp.Compare(a, b)
		}
	case StringKey:
		if b, ok := b.(StringKey); ok {
			return cmp.Compare(a, b)
		}
	}
	return cmp.Compare(keyRank(a), keyRank(b))
}

// keyRank returns the position of the kind of a key in the order of CompareKeys.
func keyRank(k InstanceKey) int {
	switch k.(type) {
	case IntKey:
		return 1
	case StringKey:
		return 2
	default:
		return 0
	}
}

// ParseKey returns the key whose Value is v, or false if there is none.
func ParseKey(v cty.Value) (InstanceKey, bool) {
	if v.IsMarked() || v.IsNull() || !v.IsKnown() {
		return nil, false
	}
	switch v.Type() {
	case cty.String:
		return StringKey(v.AsString()), true
	case cty.Number:
		f := v.AsBigFloat()
		if i, acc := f.Int64(); acc == 0 && i >= 0 {
			return IntKey(i), true
		}
	}
	return nil, false
}
