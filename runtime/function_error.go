package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// problems are the errors in the arguments of a call.
type problems struct{ errs []error }

// add adds an error about the argument at index, or, if index is -1, about no argument.
func (p *problems) add(index int, err error) {
	if index >= 0 {
		err = &provider.FunctionArgumentError{Index: index, Err: err}
	}
	p.errs = append(p.errs, err)
}

func (p *problems) err() error { return errors.Join(p.errs...) }

// failure returns the one error that a response can have: a text, and the index of
// the argument in the first error about an argument. Clients put the name of its parameter before
// the text and a full stop after it; errors about other arguments start with their names.
func (f *function) failure(err error, args int) error {
	blamed := -1
	whole := &failedCall{}
	var texts []string
	for _, part := range parts(err) {
		if !failed(part) {
			continue // a warning
		}
		text := errorText(part)
		index, problem := f.argumentIndex(part, args)
		switch {
		case problem != "":
			text += " (" + problem + ")"
		case index < 0 || index == blamed:
		case blamed < 0:
			blamed = index
		default:
			text = f.argument(index) + ": " + text
		}
		texts = append(texts, text)
		whole.causes = append(whole.causes, cause(part))
	}
	whole.text = strings.Join(texts, "; ")
	if blamed < 0 {
		return whole
	}
	return &provider.FunctionArgumentError{Index: blamed, Err: whole}
}

// failedCall is an error with the text for clients. Its causes are not errors about
// arguments, so that errors.As finds only the argument of the whole error.
type failedCall struct {
	text   string
	causes []error
}

func (e *failedCall) Error() string   { return e.text }
func (e *failedCall) Unwrap() []error { return e.causes }

// cause returns the error inside an error about an argument, or err itself.
func cause(err error) error {
	if named, ok := errors.AsType[*namedArgument](err); ok {
		return cause(named.err)
	}
	if numbered, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
		return cause(numbered.Err)
	}
	return err
}

// parts returns the errors that [errors.Join] has joined, at any depth.
func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	var texts []string
	for _, e := range joined.Unwrap() {
		texts = append(texts, e.Error())
		all = append(all, parts(e)...)
	}
	if err.Error() != strings.Join(texts, "\n") {
		return []error{err} // the error has text of its own
	}
	return all
}

// argumentIndex returns the index of the argument that err is about, or -1. The
// problem is a mistake in the error itself, such as an unknown name.
func (f *function) argumentIndex(err error, args int) (index int, problem string) {
	if named, ok := errors.AsType[*namedArgument](err); ok {
		switch index = f.position(named.name); {
		case index < 0:
			return -1, fmt.Sprintf("provider bug: the error is about the argument %q, and there is no such parameter; please report this", named.name)
		case index >= args:
			return -1, "" // the call has no argument for the variadic parameter
		}
		return index, ""
	}
	if numbered, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
		if i := numbered.Index; i < 0 || i >= args {
			return -1, fmt.Sprintf("provider bug: the error is about the argument at index %d of %d; please report this", i, args)
		}
		return numbered.Index, ""
	}
	return -1, ""
}

// argument returns the name of the argument at index for messages.
func (f *function) argument(index int) string {
	if first := f.fixed(); index >= first {
		return fmt.Sprintf("%s[%d]", f.params[first].name, index-first)
	}
	return f.params[index].name
}

// errorText returns the text of an error, with the paths in it and without its full
// stop. Keys of maps are omitted: they are values, and a call does not show which
// arguments are sensitive.
func errorText(err error) string {
	var texts []string
	for _, m := range diag.FromError("", err) {
		if m.Severity == diag.Warning {
			continue
		}
		var text []string
		if path := diag.FormatPath(withoutKeys(m.Path)); path != "" {
			text = append(text, path)
		}
		for _, s := range []string{m.Summary, m.Detail} {
			if s != "" {
				text = append(text, s)
			}
		}
		texts = append(texts, strings.TrimSuffix(strings.Join(text, ": "), "."))
	}
	return strings.Join(texts, "; ")
}

func withoutKeys(path cty.Path) cty.Path {
	out := path.Copy()
	for i, step := range out {
		if index, ok := step.(cty.IndexStep); ok && index.Key.Type() == cty.String {
			out[i] = cty.IndexStep{Key: cty.UnknownVal(cty.String)}
		}
	}
	return out
}

// ruleError returns an error for a violated constraint, with a text that can follow the name of
// a parameter.
func ruleError(m diag.Diagnostic) error {
	text := strings.TrimPrefix(m.Detail, "The value ")
	if rest, ok := strings.CutPrefix(text, "O"); ok { // One of, Only one of
		text = "o" + rest
	}
	return diag.WithPath(m.Path, errors.New(text))
}
