package rpc

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// decoder converts messages of one type to structs of one type.
type decoder struct {
	// fields is indexed by field number. Fields without a counterpart are empty.
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

// decoders has a decoder for each message and type, because types can be recursive, such
// as blocks that contain blocks.
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
			return nil, p.errorf("the field is a map, the Go type is %s", typ)
		}
		element, err := ds.value(p, p.proto.MapValue(), typ.Elem())
		if err != nil {
			return nil, err
		}
		return mapReader(typ, element), nil
	case p.proto.IsList():
		if typ.Kind() != reflect.Slice {
			return nil, p.errorf("the field is a list, the Go type is %s", typ)
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

// value returns the reader of one value: a field, or an element of a list or
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
		return ds.allocated(p, fd, member)
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
		return nil, p.errorf("the field has the kind %s, the Go type is %s", kind, typ)
	}
}

// allocated returns a reader that sets a pointer or an interface to a new value of typ.
func (ds decoders) allocated(p pair, fd protoreflect.FieldDescriptor, typ reflect.Type) (reader, error) {
	read, err := ds.value(p, fd, typ)
	if err != nil {
		return nil, err
	}
	return func(from protoreflect.Value, into reflect.Value) error {
		to := reflect.New(typ)
		if err := read(from, to.Elem()); err != nil {
			return err
		}
		if into.Kind() == reflect.Interface {
			to = to.Elem()
		}
		into.Set(to)
		return nil
	}, nil
}

// leaf returns the reader for tftypes.Type, time.Time or *tftypes.AttributePath, or nil
// for other types.
func leaf(fd protoreflect.FieldDescriptor, typ reflect.Type) (reader, error) {
	switch typ {
	case reflect.TypeFor[tftypes.Type]():
		if fd.Kind() != protoreflect.BytesKind {
			return nil, fmt.Errorf("%s is %s, expected a type", fd.FullName(), fd.Kind())
		}
		return readType, nil
	case reflect.TypeFor[time.Time]():
		if fd.Kind() != protoreflect.MessageKind || fd.Message().FullName() != "google.protobuf.Timestamp" {
			return nil, fmt.Errorf("%s is %s, expected a time", fd.FullName(), fd.Kind())
		}
		return readTime, nil
	case reflect.TypeFor[*tftypes.AttributePath]():
		return pathReader(fd)
	}
	return nil, nil
}

// usualTypes has the most frequent types, which need no parsing.
var usualTypes = func() map[string]tftypes.Type {
	types := make(map[string]tftypes.Type)
	for name, ty := range map[string]tftypes.Type{
		`"string"`: tftypes.String, `"bool"`: tftypes.Bool, `"number"`: tftypes.Number, `"dynamic"`: tftypes.DynamicPseudoType,
	} {
		types[name] = ty
		types[`["list",`+name+`]`] = tftypes.List{ElementType: ty}
		types[`["set",`+name+`]`] = tftypes.Set{ElementType: ty}
		types[`["map",`+name+`]`] = tftypes.Map{ElementType: ty}
	}
	return types
}()

func readType(from protoreflect.Value, into reflect.Value) error {
	to, ok := reflect.TypeAssert[*tftypes.Type](into.Addr()) // faster than Set
	if !ok {
		return errors.New("not a type")
	}
	data := from.Bytes()
	if *to, ok = usualTypes[string(data)]; ok {
		return nil
	}
	ty, err := tftypes.ParseJSONType(data)
	if err != nil {
		return fmt.Errorf("invalid type: %w", err)
	}
	*to = ty
	return nil
}

func readTime(from protoreflect.Value, into reflect.Value) error {
	stamp, ok := from.Message().Interface().(*timestamppb.Timestamp)
	if !ok {
		return errors.New("not a time")
	}
	if err := stamp.CheckValid(); err != nil {
		return err
	}
	into.Set(reflect.ValueOf(stamp.AsTime()))
	return nil
}

// pathReader returns the reader of an attribute path.
func pathReader(fd protoreflect.FieldDescriptor) (reader, error) {
	if fd.Kind() != protoreflect.MessageKind {
		return nil, fmt.Errorf("%s is %s, expected a path", fd.FullName(), fd.Kind())
	}
	steps := fd.Message().Fields().ByName("steps")
	if steps == nil || !steps.IsList() || steps.Kind() != protoreflect.MessageKind {
		return nil, fmt.Errorf("%s has no steps", fd.FullName())
	}
	one := steps.Message().Oneofs().ByName("selector")
	if one == nil {
		return nil, fmt.Errorf("%s has unsupported steps", fd.FullName())
	}
	return func(from protoreflect.Value, into reflect.Value) error {
		list := from.Message().Get(steps).List()
		path := make([]tftypes.AttributePathStep, 0, list.Len())
		for i := range list.Len() {
			step := readStep(list.Get(i).Message(), one)
			if step == nil {
				break
			}
			path = append(path, step)
		}
		into.Set(reflect.ValueOf(tftypes.NewAttributePathWithSteps(path)))
		return nil
	}, nil
}

// readStep returns the step in m, or nil if the step is empty or of a later version of the
// protocol. The path then ends before this step; the rest of the response is still used.
func readStep(m protoreflect.Message, one protoreflect.OneofDescriptor) tftypes.AttributePathStep {
	fd := m.WhichOneof(one)
	if fd == nil {
		return nil
	}
	switch v := m.Get(fd); fd.Name() {
	case "attribute_name":
		return tftypes.AttributeName(v.String())
	case "element_key_string":
		return tftypes.ElementKeyString(v.String())
	case "element_key_int":
		return tftypes.ElementKeyInt(v.Int())
	default:
		return nil
	}
}
