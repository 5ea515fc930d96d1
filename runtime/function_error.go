package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// problems are what is wrong with the arguments of a call.
type problems struct{ errs []error }

// add adds an error of the argument at the index; -1 is that of none.
func (p *problems) add(index int, err error) {
	if index >= 0 {
		err = &provider.FunctionArgumentError{Index: index, Err: err}
	}
	p.errs = append(p.errs, err)
}

func (p *problems) err() error { return errors.Join(p.errs...) }

// failure is the one error that a call can answer with: a text, and the index of
// the first argument that is to blame. Clients put the name of that parameter in
// front and a full stop behind; what concerns other arguments names them itself.
func (f *function) failure(err error, args int) error {
	blamed := -1
	whole := &failedCall{}
	var texts []string
	for _, part := range parts(err) {
		if !failed(part) {
			continue // a warning
		}
		text := words(part)
		index, problem := f.blame(part, args)
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

// failedCall is an error in the words that clients show. Its causes blame no
// argument any more: who looks for that must not find another one.
type failedCall struct {
	text   string
	causes []error
}

func (e *failedCall) Error() string   { return e.text }
func (e *failedCall) Unwrap() []error { return e.causes }

// cause is what is inside of an error of an argument, or err itself.
func cause(err error) error {
	if named, ok := errors.AsType[*namedArgument](err); ok {
		return cause(named.err)
	}
	if numbered, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
		return cause(numbered.Err)
	}
	return err
}

// parts are the errors that [errors.Join] has put together, at any depth.
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
		return []error{err} // there are words around them
	}
	return all
}

// blame finds the argument that err is about, -1 where it is about none. The
// problem is what is wrong with how the error says it.
func (f *function) blame(err error, args int) (index int, problem string) {
	if named, ok := errors.AsType[*namedArgument](err); ok {
		switch index = f.position(named.name); {
		case index < 0:
			return -1, fmt.Sprintf("the provider blames the argument %q, and there is no such parameter; please report this", named.name)
		case index >= args:
			return -1, "" // no argument for the variadic parameter
		}
		return index, ""
	}
	if numbered, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
		if i := numbered.Index; i < 0 || i >= args {
			return -1, fmt.Sprintf("the provider blames the argument at index %d of %d; please report this", i, args)
		}
		return numbered.Index, ""
	}
	return -1, ""
}

// argument is what messages call the argument at an index.
func (f *function) argument(index int) string {
	if first := f.fixed(); index >= first {
		return fmt.Sprintf("%s[%d]", f.params[first].name, index-first)
	}
	return f.params[index].name
}

// words are the text of an error, with the paths in it and without its full stop.
// Clients take away what says that an argument is sensitive, so that keys of maps
// are left out: they are values.
func words(err error) string {
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

// ruleError is a broken constraint in words that stand behind the name of a
// parameter.
func ruleError(m diag.Diagnostic) error {
	text := strings.TrimPrefix(m.Detail, "The value ")
	if rest, ok := strings.CutPrefix(text, "O"); ok { // One of, Only one of
		text = "o" + rest
	}
	return diag.WithPath(m.Path, errors.New(text))
}
