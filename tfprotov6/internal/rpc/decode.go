package rpc

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// decoder converts messages of one type to structs of one type.
type decoder struct {
	// fields is indexed by field number. Fields without counterpart are empty.
	fields []fieldDecoder
}

type fieldDecoder struct {
	index []int
	read  reader
}

// reader converts a value of a message and stores it in a zero value.
type reader func(from protoreflect.Value, into reflect.Value) error

func (d *decoder) decode(m protoreflect.Message, into reflect.Value) (err error) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		number := int(fd.Number())
		if number >= len(d.fields) || d.fields[number].read == nil {
			return true
		}
		f := &d.fields[number]
		if err = f.read(v, into.FieldByIndex(f.index)); err != nil {
			err = fmt.Errorf("%s: %w", fd.Name(), err)
		}
		return err == nil
	})
	return err
}

// decoders has the decoders of recursive types, such as blocks that contain
// blocks.
type decoders map[decoderKey]*decoder

type decoderKey struct {
	message protoreflect.FullName
	typ     reflect.Type
}

// of returns a decoder for structs of typ.
func (ds decoders) of(message protoreflect.MessageDescriptor, typ reflect.Type) (*decoder, error) {
	key := decoderKey{message.FullName(), typ}
	if d, ok := ds[key]; ok {
		return d, nil
	}
	d := &decoder{}
	ds[key] = d
	for _, p := range match(message, typ) {
		read, err := ds.field(p)
		if err != nil {
			return nil, err
		}
		number := int(p.proto.Number())
		for len(d.fields) <= number {
			d.fields = append(d.fields, fieldDecoder{})
		}
		d.fields[number] = fieldDecoder{index: p.field.Index, read: read}
	}
	return d, nil
}

func (ds decoders) field(p pair) (reader, error) {
	typ := p.field.Type
	switch {
	case p.proto.IsMap():
		if typ.Kind() != reflect.Map || typ.Key().Kind() != reflect.String {
			return nil, p.errorf("a map, and %s", typ)
		}
		element, err := ds.value(p, p.proto.MapValue(), typ.Elem())
		if err != nil {
			return nil, err
		}
		return mapReader(typ, element), nil
	case p.proto.IsList():
		if typ.Kind() != reflect.Slice {
			return nil, p.errorf("a list, and %s", typ)
		}
		element, err := ds.value(p, p.proto, typ.Elem())
		if err != nil {
			return nil, err
		}
		return listReader(element), nil
	}
	return ds.value(p, p.proto, typ)
}

func mapReader(typ reflect.Type, element reader) reader {
	return func(from protoreflect.Value, into reflect.Value) (err error) {
		entries := from.Map()
		into.Set(reflect.MakeMapWithSize(typ, entries.Len()))
		entries.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			value := reflect.New(typ.Elem()).Elem()
			if err = element(v, value); err != nil {
				err = fmt.Errorf("%s: %w", k, err)
				return false
			}
			into.SetMapIndex(reflect.ValueOf(k.String()), value)
			return true
		})
		return err
	}
}

func listReader(element reader) reader {
	return func(from protoreflect.Value, into reflect.Value) error {
		list := from.List()
		into.Grow(list.Len())
		into.SetLen(list.Len())
		for i := range list.Len() {
			if err := element(list.Get(i), into.Index(i)); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
}

// value returns the reader of one value: a field, or an element of its list or
// map.
func (ds decoders) value(p pair, fd protoreflect.FieldDescriptor, typ reflect.Type) (reader, error) {
	if read, err := leaf(fd, typ); read != nil || err != nil {
		return read, err
	}
	if types, ok := members[typ]; ok {
		member, ok := types[fd.Name()]
		if !ok {
			return nil, p.errorf("the message has no field for %s", typ)
		}
		return ds.replaced(p, fd, member)
	}
	switch kind := fd.Kind(); {
	case typ.Kind() == reflect.Pointer:
		return ds.allocated(p, fd, typ.Elem())
	case kind == protoreflect.MessageKind && typ.Kind() == reflect.Struct:
		d, err := ds.of(fd.Message(), typ)
		if err != nil {
			return nil, err
		}
		return func(from protoreflect.Value, into reflect.Value) error { return d.decode(from.Message(), into) }, nil
	case kind == protoreflect.BoolKind && typ.Kind() == reflect.Bool:
		return func(from protoreflect.Value, into reflect.Value) error { into.SetBool(from.Bool()); return nil }, nil
	case kind == protoreflect.Int64Kind && typ.Kind() == reflect.Int64:
		return func(from protoreflect.Value, into reflect.Value) error { into.SetInt(from.Int()); return nil }, nil
	case kind == protoreflect.EnumKind && typ.Kind() == reflect.Int32:
		return func(from protoreflect.Value, into reflect.Value) error { into.SetInt(int64(from.Enum())); return nil }, nil
	case kind == protoreflect.StringKind && typ.Kind() == reflect.String:
		return func(from protoreflect.Value, into reflect.Value) error { into.SetString(from.String()); return nil }, nil
	case kind == protoreflect.BytesKind && typ == reflect.TypeFor[[]byte]():
		return func(from protoreflect.Value, into reflect.Value) error { into.SetBytes(from.Bytes()); return nil }, nil
	default:
		return nil, p.errorf("%s, and %s", kind, typ)
	}
}

// allocated returns a reader that allocates the target of a pointer.
func (ds decoders) allocated(p pair, fd protoreflect.FieldDescriptor, typ reflect.Type) (reader, error) {
	read, err := ds.value(p, fd, typ)
	if err != nil {
		return nil, err
	}
	return func(from protoreflect.Value, into reflect.Value) error {
		to := reflect.New(typ)
		into.Set(to)
		return read(from, to.Elem())
	}, nil
}

// replaced returns a reader that sets an interface to a complete value.
func (ds decoders) replaced(p pair, fd protoreflect.FieldDescriptor, typ reflect.Type) (reader, error) {
	read, err := ds.value(p, fd, typ)
	if err != nil {
		return nil, err
	}
	return func(from protoreflect.Value, into reflect.Value) error {
		to := reflect.New(typ).Elem()
		if err := read(from, to); err != nil {
			return err
		}
		into.Set(to)
		return nil
	}, nil
}
