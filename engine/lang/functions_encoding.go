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
		return nil, errors.New("must be Base64")
	}
	return raw, nil
}

// textOf returns err, or raw as a string, which must be UTF-8.
func textOf(raw []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) {
		return "", errors.New("the decoded data is not UTF-8 text")
	}
	return string(raw), nil
}

func zip(s string) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		return "", err
	}
	// Terraform and OpenTofu flush first, which changes the bytes.
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
		return nil, errors.New("the decoded data is not compressed with gzip")
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.New("the decoded data is truncated or damaged")
	}
	return out, nil
}

func unescape(s string) (string, error) {
	out, err := url.QueryUnescape(s)
	if err != nil {
		return "", errors.New("a percent sign must be followed by two hexadecimal digits")
	}
	return out, nil
}

// recodeFunction returns a function of a text and the IANA name of an encoding.
func recodeFunction(first string, recode func(string, encoding.Encoding) (string, error)) function.Function {
	return ofStrings(params(first, "encoding"), cty.String, func(args []string) (cty.Value, error) {
		e, err := ianaindex.IANA.Encoding(args[1])
		if err != nil || e == nil {
			return cty.NilVal, function.NewArgErrorf(1, "unknown or unsupported encoding")
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
		return "", errors.New("the text has characters that the encoding does not support")
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
		return "", errors.New("the decoded data is not valid in the given encoding")
	}
	return string(out), nil
}
