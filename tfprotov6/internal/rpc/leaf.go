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

// leaf returns the reader for types outside terraform-plugin-go's protocol
// packages, or nil for others.
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

// readStep returns nil for a step that is empty or of a later version of the
// protocol. The path ends before it; the rest of the response is still used.
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
