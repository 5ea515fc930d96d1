package wire

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// failure is an error on its way up. Steps are added by the levels that it
// passes, so that no path is kept while nothing is wrong.
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

// under says that err concerns the part of a value that step leads to.
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

// inSet says that err concerns an element of a set, which has no name: it is the
// set's, without a path of its own.
func inSet(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		f.steps = nil
	}
	return err
}

// pathError is err as those outside get it. Its error is the message only: the
// path stands beside it.
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

// quoteName makes a name that came over the wire fit for a message.
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
