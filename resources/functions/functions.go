package functions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// All returns the functions by name.
func All() map[string]runtime.FunctionRegistration {
	return map[string]runtime.FunctionRegistration{
		"env_decode":   runtime.MakeFunc(EnvDecode, envDecodeSpec),
		"env_encode":   runtime.MakeFunc(EnvEncode, envEncodeSpec),
		"hosts_file":   runtime.MakeFunc(HostsFile, hostsFileSpec),
		"ini_decode":   runtime.MakeFunc(INIDecode, iniDecodeSpec),
		"ini_encode":   runtime.MakeFunc(INIEncode, iniEncodeSpec),
		"mode":         runtime.MakeFunc(Mode, modeSpec),
		"shell_quote":  runtime.MakeFunc(ShellQuote, shellQuoteSpec),
		"systemd_unit": runtime.MakeFunc(SystemdUnit, systemdUnitSpec),
	}
}

// checkLine returns an error for a text with line breaks, carriage returns or NUL bytes. The
// argument what is the name of the text in the error.
func checkLine(what, text string) error {
	if i := strings.IndexAny(text, "\n\r\x00"); i >= 0 {
		return fmt.Errorf("%s must not contain %s", what, map[byte]string{'\n': "line breaks", '\r': "carriage returns", 0: "NUL bytes"}[text[i]])
	}
	return nil
}

// checkEnds returns an error for a text with blanks at its ends, since programs remove them.
func checkEnds(what, text string) error {
	if text != strings.TrimSpace(text) {
		return fmt.Errorf("%s must not begin or end with a blank, since programs remove it; add the quotes that the program expects", what)
	}
	return nil
}

// isControl reports whether c is a control character that systemd rejects in a value.
func isControl(c rune) bool { return c < ' ' && c != '\t' && c != '\n' || c == 0x7f }

// isPlain reports whether every shell reads c literally.
func isPlain(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("_@%+:,./-", c) >= 0 }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isObject(v cty.Value) bool {
	return !v.IsNull() && (v.Type().IsObjectType() || v.Type().IsMapType())
}

func isList(v cty.Value) bool {
	t := v.Type()
	return !v.IsNull() && (t.IsTupleType() || t.IsListType() || t.IsSetType())
}

// oneOrMore returns the elements of a list, or the value itself if it is not a list.
func oneOrMore(v cty.Value) []cty.Value {
	if isList(v) {
		return v.AsValueSlice()
	}
	return []cty.Value{v}
}

// elements returns the strings of a list of strings, or of a single string; none for null.
func elements(v cty.Value) ([]string, error) {
	if v.IsNull() {
		return nil, nil
	}
	var texts []string
	for _, one := range oneOrMore(v) {
		if one.IsNull() || one.Type() != cty.String {
			return nil, errors.New("its value must be a string or a list of strings")
		}
		texts = append(texts, one.AsString())
	}
	return texts, nil
}
