package file_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/file"
)

func TestBase64Errors(t *testing.T) {
	t.Parallel()
	for text, word := range map[string]string{"aGk": "character", "aG-_": "character 3", "a": "character", "aGk=x": "character 5"} {
		var b file.Base64
		if err := b.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: error %v, want an error with %q", text, err, word)
		}
	}
}

func FuzzBase64(f *testing.F) {
	for _, text := range []string{"", "aGk=", "aG\nk=", "aGk", "//8=", "aGl="} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, err := file.Base64(content).MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back file.Base64
		if err := back.UnmarshalText(text); err != nil || !bytes.Equal(back, content) {
			t.Errorf("%q is encoded and decoded as %q (%v), want it unchanged", content, back, err)
		}
		// The canonical form of valid base64 is not longer than the text.
		var read file.Base64
		if read.UnmarshalText(content) == nil {
			again, err := read.MarshalText()
			if err != nil || len(again) > len(content) {
				t.Errorf("%q is decoded and encoded as %q (%v), want a text that is not longer", content, again, err)
			}
		}
	})
}
