package runtime

import (
	"encoding/json"
	"errors"
	"reflect"
)

// Value is the type of a field that distinguishes null, unknown and known values.
// Its zero value is null.
//
// In JSON, a known value is encoded as its T, and null as null. An unknown value cannot be
// encoded: the error is [ErrUnknownJSON]. Decoding returns the encoded value, except
// that a known T whose own JSON is null, such as a nil pointer, is decoded as null.
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

// Known returns a known value.
func Known[T any](v T) Value[T] { return Value[T]{value: v, state: valueKnown} }

// Unknown returns an unknown value.
func Unknown[T any]() Value[T] { return Value[T]{state: valueUnknown} }

// Null returns a null value.
func Null[T any]() Value[T] { return Value[T]{} }

// IsNull reports whether the value is null.
func (v Value[T]) IsNull() bool { return v.state == valueNull }

// IsUnknown reports whether the value is unknown.
func (v Value[T]) IsUnknown() bool { return v.state == valueUnknown }

// Get returns the value and true, or the zero value and false if v is null or
// unknown.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == valueKnown }

// ErrUnknownJSON is the error for encoding an unknown [Value] as JSON.
var ErrUnknownJSON = errors.New("an unknown value cannot be encoded as JSON")

// MarshalJSON implements [json.Marshaler].
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

// UnmarshalJSON implements [json.Unmarshaler]. If the text is not a T, v is not changed.
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

// anyValue accesses a Value of any T.
type anyValue interface {
	valueState() valueState
	setValueState(valueState)
	// valueElem returns the addressable T.
	valueElem() reflect.Value
}

func (v *Value[T]) valueState() valueState     { return v.state }
func (v *Value[T]) setValueState(s valueState) { v.state = s }
func (v *Value[T]) valueElem() reflect.Value   { return reflect.ValueOf(&v.value).Elem() }
