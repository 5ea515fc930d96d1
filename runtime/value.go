package runtime

import "reflect"

// Value is a field that must see the difference between null, unknown and
// known. Its zero value is null.
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
