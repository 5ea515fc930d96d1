package wire

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// failure is an error that collects its path: the function that encodes or decodes a value
// adds a step for the attribute, index or key with the error. No path is built without an error.
type failure struct {
	err error
	// steps lead from the failing value up to the root.
	steps []cty.PathStep
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func failf(format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...)}
}

// under returns err with the step to the part of the value that err is about.
func under(step cty.PathStep, err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{err: err}
	}
	f.steps = append(f.steps, step)
	return f
}

func underAttr(name string, err error) error {
	return under(cty.GetAttrStep{Name: name}, err)
}

func underIndex(i int, err error) error {
	return under(cty.IndexStep{Key: cty.NumberIntVal(int64(i))}, err)
}

func underKey(key string, err error) error {
	return under(cty.IndexStep{Key: cty.StringVal(key)}, err)
}

// inSet returns err with the path of the set instead of a path into an element, because
// elements of a set have no names.
func inSet(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		f.steps = nil
	}
	return err
}

// pathError returns a failure as a [cty.PathError] whose error has only the message. It returns
// any other error unchanged.
func pathError(err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	path := make(cty.Path, len(f.steps))
	for i, step := range f.steps {
		path[len(path)-1-i] = step
	}
	return path.NewError(f.err)
}

// quoteName returns a received name, quoted and shortened for a message.
func quoteName(name string) string {
	const most = 64
	if len(name) > most {
		name = name[:most]
		for len(name) > 0 && !utf8.ValidString(name) && len(name) > most-utf8.UTFMax {
			name = name[:len(name)-1]
		}
		return strconv.Quote(name) + "…"
	}
	return strconv.Quote(name)
}

var (
	errTooDeep   = errors.New("the value is nested too deeply")
	errTruncated = errors.New("the encoded value ends too early")
)
