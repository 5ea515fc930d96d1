package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// SemanticEqualer is for string types with equivalent values, such as a JSON document
// or an octal mode. If the prior and the new value are equal, the plan shows no change, and
// the state keeps the prior one. T is the type itself, which is a string or an
// encoding.TextUnmarshaler. A TextUnmarshaler needs the method only if equivalent
// texts parse to different Go values.
//
// A list, set or map of such values keeps its prior form as a whole or not at all, because
// clients allow nothing else. If a configuration has one element in a different form while
// a second element is not known yet, and all elements turn out to be equal to the prior ones,
// clients reject the change during the apply, and the next run plans no change.
type SemanticEqualer[T any] interface {
	SemanticEquals(other T) bool
}

const semanticEquals = "SemanticEquals"

// semanticEqualsMethod has the name of the method in terraform-plugin-framework.
var semanticEqualsMethod = optionalMethod{name: semanticEquals, others: []string{"StringSemanticEquals"}}

// readText finds the SemanticEquals method of a string type. It returns an error for methods of
// texts that would never be called.
func (n *node) readText() error {
	pointer := reflect.PointerTo(n.goType)
	// A type with only MarshalText is legal: it may print a text that is not its value, for logs.
	if pointer.Implements(textUnmarshalerType) && !pointer.Implements(textMarshalerType) {
		return fmt.Errorf("method UnmarshalText of %s would never be called: the type needs the method MarshalText() ([]byte, error) too", n.goType)
	}
	if n.kind == kindString || n.kind == kindText {
		for i := range pointer.NumMethod() { //nolint:modernize // the iterator allocates
			if name := pointer.Method(i).Name; name != semanticEquals && semanticEqualsMethod.resembles(name) {
				return fmt.Errorf("method %s of %s would never be called: the optional method is %s; rename it", name, n.goType, semanticEquals)
			}
		}
	}
	m, ok := pointer.MethodByName(semanticEquals)
	if !ok {
		return nil
	}
	if want := signature([]reflect.Type{n.goType}, reflect.TypeFor[bool]()); !want.is(m.Type, nil) {
		return fmt.Errorf("method %s of %s has the wrong signature and would never be called: it is %s and must be %s",
			semanticEquals, n.goType, withoutReceiver(m.Type), want)
	}
	if n.kind != kindString && n.kind != kindText {
		return fmt.Errorf("method %s of %s would never be called: it is for string types", semanticEquals, n.goType)
	}
	equals := m // avoids an allocation of m for each type without the method
	n.equals = &equals
	return nil
}

// textual reports whether n is a text that may have equivalent forms.
func (n *node) textual() bool { return n.kind == kindText || n.equals != nil }

// sameText reports whether two texts are equivalent.
func (n *node) sameText(a, b cty.Value) bool {
	if !n.textual() || !usable(a) || !usable(b) {
		return false
	}
	var d decoder
	x := reflect.New(n.goType).Elem()
	d.value(n, a, x)
	return d.err() == nil && n.decodesTo(x, b)
}

// equal reports whether two Go values are equivalent.
func (n *node) equal(a, b reflect.Value) bool {
	if n.equals != nil {
		receiver := reflect.New(n.goType)
		receiver.Elem().Set(a)
		return n.equals.Func.Call([]reflect.Value{receiver, b})[0].Bool()
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// JSON is a JSON document as a string. Two documents are equal if they have the same
// content, regardless of white space and the order of members.
type JSON string

// UnmarshalText implements encoding.TextUnmarshaler; it returns an error for invalid
// JSON.
func (j *JSON) UnmarshalText(text []byte) error {
	if !json.Valid(text) {
		return errors.New("the string is not a JSON document; use jsonencode")
	}
	*j = JSON(text)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (j JSON) MarshalText() ([]byte, error) { return []byte(j), nil }

// SemanticEquals reports whether both documents are valid and have the same content. Numbers
// are compared as text, since they may have more digits than a float.
func (j JSON) SemanticEquals(other JSON) bool {
	a, errA := plainJSON(string(j))
	b, errB := plainJSON(string(other))
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

func plainJSON(text string) (x any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&x); err == nil && d.More() {
		err = errors.New("there is more than one document")
	}
	return x, err
}

// Duration is a duration as a string: "90s", "1h30m". The number before each unit
// may have a fraction; units are h, m, s, ms, us (or µs) and ns. A duration cannot be negative.
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	x, err := time.ParseDuration(string(text))
	switch {
	case err != nil:
		return errors.New("the string is not a duration such as \"90s\" or \"1h30m\"")
	case x < 0:
		return errors.New("the duration is negative")
	}
	*d = Duration(x)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }
