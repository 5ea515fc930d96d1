package file

import (
	"encoding/base64"
	"errors"
	"fmt"
)

// Base64 is content that is configured as base64.
type Base64 []byte

// MarshalText encodes with the standard alphabet and padding.
func (b Base64) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText decodes the standard alphabet with padding; line breaks are ignored.
func (b *Base64) UnmarshalText(text []byte) error {
	content, err := base64.StdEncoding.AppendDecode(nil, text)
	if bad, ok := errors.AsType[base64.CorruptInputError](err); ok {
		return fmt.Errorf("invalid base64 at character %d: use the standard alphabet (+ and /) with padding, as base64encode() does", int64(bad)+1)
	}
	if err != nil {
		return err
	}
	*b = content
	return nil
}
