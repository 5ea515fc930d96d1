package runtime

import (
	"encoding/json"
	"errors"
	"reflect"
)

// Value is a field that must see the difference between null, unknown and
// known. Its zero value is null.
//
// In JSON a known value is that of the T, and null is null. JSON has nothing for
// a value that is not known yet: to write one is an error, [ErrUnknownJSON].
// What is written is read back as it was, but for a known T whose own JSON is
// null, such as a nil pointer, which is read as null.
type Value[T any] struct {
	value T
	state valueState
}

type valueState uint8

const (
	valueNull valueState = iota
	valueUnknown
	valueKnown
)

// Known is a known value.
func Known[T any](v T) Value[T] { return Value[T]{value: v, state: valueKnown} }

// Unknown is a value that is not known yet.
func Unknown[T any]() Value[T] { return Value[T]{state: valueUnknown} }

// Null is the absence of a value.
func Null[T any]() Value[T] { return Value[T]{} }

// IsNull reports whether there is no value.
func (v Value[T]) IsNull() bool { return v.state == valueNull }

// IsUnknown reports whether the value is not known yet.
func (v Value[T]) IsUnknown() bool { return v.state == valueUnknown }

// Get returns the value and true, or the zero value and false when it is null
// or unknown.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == valueKnown }

// ErrUnknownJSON is the error of writing a [Value] that is not known yet as JSON.
var ErrUnknownJSON = errors.New("a value that is not known yet has no JSON")

// MarshalJSON is part of [json.Marshaler].
func (v Value[T]) MarshalJSON() ([]byte, error) {
	switch v.state {
	case valueUnknown:
		return nil, ErrUnknownJSON
	case valueKnown:
		return json.Marshal(v.value)
	default:
		return []byte("null"), nil
	}
}

// UnmarshalJSON is part of [json.Unmarshaler]. Where the text is no T it changes
// nothing.
func (v *Value[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = Null[T]()
		return nil
	}
	var known T
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	*v = Known(known)
	return nil
}

// anyValue is how the struct plans reach into a Value of whatever T.
type anyValue interface {
	valueState() valueState
	setValueState(valueState)
	// valueElem is the T inside, addressable.
	valueElem() reflect.Value
}

func (v *Value[T]) valueState() valueState     { return v.state }
func (v *Value[T]) setValueState(s valueState) { v.state = s }
func (v *Value[T]) valueElem() reflect.Value   { return reflect.ValueOf(&v.value).Elem() }
