package lang

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"
)

func encodingFunctions() map[string]function.Function {
	return map[string]function.Function{
		"base64encode": ofText(func(s string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(s)), nil }),
		"base64decode": ofText(func(s string) (string, error) {
			raw, err := fromBase64(s)
			return textOf(raw, err)
		}),
		"base64gzip": ofText(zip),
		"base64gunzip": ofText(func(s string) (string, error) {
			raw, err := unzip(s)
			return textOf(raw, err)
		}),
		"urlencode":        ofText(func(s string) (string, error) { return url.QueryEscape(s), nil }),
		"urldecode":        ofText(unescape),
		"textencodebase64": recodeFunction("string", encodeText),
		"textdecodebase64": recodeFunction("source", decodeText),
	}
}

func fromBase64(s string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, errors.New("this is no Base64")
	}
	return raw, nil
}

// textOf is raw as a string of the language, which are Unicode.
func textOf(raw []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) {
		return "", errors.New("what it encodes is no text in UTF-8")
	}
	return string(raw), nil
}

func zip(s string) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		return "", err
	}
	// The engines flush first, which is in the bytes.
	if err := errors.Join(w.Flush(), w.Close()); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

func unzip(s string) ([]byte, error) {
	raw, err := fromBase64(s)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("what it encodes is not compressed with gzip")
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.New("what it encodes ends too early or is damaged")
	}
	return out, nil
}

func unescape(s string) (string, error) {
	out, err := url.QueryUnescape(s)
	if err != nil {
		return "", errors.New("a percent sign is not followed by two hexadecimal digits")
	}
	return out, nil
}

// recodeFunction takes a text and the name of an encoding as IANA has it.
func recodeFunction(first string, recode func(string, encoding.Encoding) (string, error)) function.Function {
	return ofStrings(params(first, "encoding"), cty.String, func(args []string) (cty.Value, error) {
		e, err := ianaindex.IANA.Encoding(args[1])
		if err != nil || e == nil {
			return cty.NilVal, function.NewArgErrorf(1, "this is the name of no encoding that is supported")
		}
		out, err := recode(args[0], e)
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		return cty.StringVal(out), nil
	})
}

func encodeText(s string, e encoding.Encoding) (string, error) {
	out, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		return "", errors.New("the encoding lacks a character of it")
	}
	return base64.StdEncoding.EncodeToString(out), nil
}

func decodeText(s string, e encoding.Encoding) (string, error) {
	raw, err := fromBase64(s)
	if err != nil {
		return "", err
	}
	out, err := e.NewDecoder().Bytes(raw)
	if err != nil || bytes.ContainsRune(out, utf8.RuneError) {
		return "", errors.New("what it encodes is not in that encoding")
	}
	return string(out), nil
}
