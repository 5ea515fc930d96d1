package rpc

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// encoder converts structs of one type to messages of one type.
type encoder struct {
	message protoreflect.MessageType
	fields  []fieldEncoder
}

type fieldEncoder struct {
	index []int
	// nilable fields are omitted if they are nil. In the protocol, scalars that
	// are not set are zero.
	nilable bool
	set     func(m protoreflect.Message, v reflect.Value)
}

func (e *encoder) encode(v reflect.Value) protoreflect.Message {
	m := e.message.New()
	for _, f := range e.fields {
		if field := v.FieldByIndex(f.index); !f.nilable || !field.IsNil() {
			f.set(m, field)
		}
	}
	return m
}

// newEncoder returns an encoder for structs of typ. The types of requests are
// not recursive.
func newEncoder(message protoreflect.MessageDescriptor, typ reflect.Type) (*encoder, error) {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(message.FullName())
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", message.FullName(), err)
	}
	e := &encoder{message: mt}
	for _, p := range match(message, typ) {
		set, err := setter(p)
		if err != nil {
			return nil, err
		}
		f := fieldEncoder{index: p.field.Index, set: set}
		switch p.field.Type.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			f.nilable = true
		}
		e.fields = append(e.fields, f)
	}
	return e, nil
}

func setter(p pair) (func(m protoreflect.Message, v reflect.Value), error) {
	fd, typ := p.proto, p.field.Type
	switch {
	case fd.IsMap():
		if typ != reflect.TypeFor[map[string]string]() {
			return nil, p.errorf("the field is a map, the Go type is %s", typ)
		}
		return func(m protoreflect.Message, v reflect.Value) {
			entries := m.Mutable(fd).Map()
			for it := v.MapRange(); it.Next(); {
				entries.Set(protoreflect.ValueOfString(it.Key().String()).MapKey(), protoreflect.ValueOfString(it.Value().String()))
			}
		}, nil
	case fd.IsList():
		if typ.Kind() != reflect.Slice {
			return nil, p.errorf("the field is a list, the Go type is %s", typ)
		}
		element, err := valueEncoder(p, typ.Elem())
		if err != nil {
			return nil, err
		}
		return func(m protoreflect.Message, v reflect.Value) {
			list := m.Mutable(fd).List()
			for i := range v.Len() {
				list.Append(element(v.Index(i)))
			}
		}, nil
	}
	value, err := valueEncoder(p, typ)
	if err != nil {
		return nil, err
	}
	return func(m protoreflect.Message, v reflect.Value) { m.Set(fd, value(v)) }, nil
}

// valueEncoder returns the encoder of one value: a field, or an element of a
// list.
func valueEncoder(p pair, typ reflect.Type) (func(reflect.Value) protoreflect.Value, error) {
	kind := p.proto.Kind()
	switch {
	case kind == protoreflect.BoolKind && typ.Kind() == reflect.Bool:
		return func(v reflect.Value) protoreflect.Value { return protoreflect.ValueOfBool(v.Bool()) }, nil
	case kind == protoreflect.Int64Kind && typ.Kind() == reflect.Int64:
		return func(v reflect.Value) protoreflect.Value { return protoreflect.ValueOfInt64(v.Int()) }, nil
	case kind == protoreflect.StringKind && typ.Kind() == reflect.String:
		return func(v reflect.Value) protoreflect.Value { return protoreflect.ValueOfString(v.String()) }, nil
	case kind == protoreflect.BytesKind && typ == reflect.TypeFor[[]byte]():
		return func(v reflect.Value) protoreflect.Value { return protoreflect.ValueOfBytes(v.Bytes()) }, nil
	case kind == protoreflect.MessageKind && typ.Kind() == reflect.Struct:
		e, err := newEncoder(p.proto.Message(), typ)
		if err != nil {
			return nil, err
		}
		return func(v reflect.Value) protoreflect.Value { return protoreflect.ValueOfMessage(e.encode(v)) }, nil
	case kind == protoreflect.MessageKind && typ.Kind() == reflect.Pointer && typ.Elem().Kind() == reflect.Struct:
		e, err := newEncoder(p.proto.Message(), typ.Elem())
		if err != nil {
			return nil, err
		}
		return func(v reflect.Value) protoreflect.Value {
			if v.IsNil() { // an element of a list
				return protoreflect.ValueOfMessage(e.message.New())
			}
			return protoreflect.ValueOfMessage(e.encode(v.Elem()))
		}, nil
	}
	return nil, p.errorf("the field has the kind %s, the Go type is %s", kind, typ)
}
