package lang

import (
	"crypto/md5" //nolint:gosec // the language has these functions
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // the language has these functions
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/gocty"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/ssh"
)

// digest is a hash function with the encoding of its result.
type digest struct {
	sum   func() hash.Hash
	write func([]byte) string
}

func (d digest) of(raw []byte) string {
	h := d.sum()
	h.Write(raw)
	return d.write(h.Sum(nil))
}

// digests maps the name of each digest function of a string to its digest. The names of the
// functions of files have the prefix "file".
var digests = map[string]digest{
	"md5": {md5.New, hex.EncodeToString}, "sha1": {sha1.New, hex.EncodeToString},
	"sha256": {sha256.New, hex.EncodeToString}, "sha512": {sha512.New, hex.EncodeToString},
	"base64sha256": {sha256.New, base64.StdEncoding.EncodeToString},
	"base64sha512": {sha512.New, base64.StdEncoding.EncodeToString},
}

func cryptoFunctions() map[string]function.Function {
	all := map[string]function.Function{
		"bcrypt": bcryptFunction(), "rsadecrypt": rsadecryptFunction(), "uuid": uuidFunction(), "uuidv5": uuidv5Function(),
	}
	for name, d := range digests {
		all[name] = ofText(func(s string) (string, error) { return d.of([]byte(s)), nil })
	}
	return all
}

func bcryptFunction() function.Function {
	return function.New(&function.Spec{
		Params:       params("str"),
		VarParam:     &function.Parameter{Name: "cost", Type: cty.Number},
		Type:         function.StaticReturnType(cty.String),
		RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			cost := bcrypt.DefaultCost
			switch len(args) {
			case 1:
			case 2:
				if err := gocty.FromCtyValue(args[1], &cost); err != nil {
					return cty.NilVal, function.NewArgError(1, err)
				}
			default:
				return cty.NilVal, function.NewArgErrorf(2, "at most one cost is permitted")
			}
			out, err := bcrypt.GenerateFromPassword([]byte(args[0].AsString()), cost)
			if err != nil {
				return cty.NilVal, err
			}
			return cty.StringVal(string(out)), nil
		},
	})
}

func rsadecryptFunction() function.Function {
	return ofStrings(params("ciphertext", "privatekey"), cty.String, func(args []string) (cty.Value, error) {
		secret, err := fromBase64(args[0])
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		raw, err := ssh.ParseRawPrivateKey([]byte(args[1]))
		if err != nil {
			return cty.NilVal, function.NewArgErrorf(1, "must be a private key in PEM format without a passphrase")
		}
		key, ok := raw.(*rsa.PrivateKey)
		if !ok {
			return cty.NilVal, function.NewArgErrorf(1, "must be an RSA key")
		}
		// rsadecrypt is documented to use PKCS #1 v1.5.
		out, err := rsa.DecryptPKCS1v15(rand.Reader, key, secret) //nolint:staticcheck // see above
		if err != nil {
			return cty.NilVal, errors.New("the key does not decrypt the text")
		}
		return cty.StringVal(string(out)), nil
	})
}

func uuidFunction() function.Function {
	return ofStrings(nil, cty.String, func([]string) (cty.Value, error) {
		return cty.StringVal(NewUUID()), nil
	})
}

// NewUUID returns a random UUID (version 4).
func NewUUID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return formatUUID(id, 4)
}

// formatUUID returns the text of id with the version and variant bits of RFC 4122.
func formatUUID(id [16]byte, version byte) string {
	id[6] = id[6]&0x0f | version<<4
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// uuidNamespaces are those of RFC 4122, appendix C.
var uuidNamespaces = map[string]string{
	"dns":  "6ba7b8109dad11d180b400c04fd430c8",
	"url":  "6ba7b8119dad11d180b400c04fd430c8",
	"oid":  "6ba7b8129dad11d180b400c04fd430c8",
	"x500": "6ba7b8149dad11d180b400c04fd430c8",
}

func uuidv5Function() function.Function {
	return ofStrings(params("namespace", "name"), cty.String, func(args []string) (cty.Value, error) {
		namespace, ok := parseUUID(args[0])
		if !ok {
			return cty.NilVal, function.NewArgErrorf(0, "must be a UUID, dns, url, oid or x500")
		}
		h := sha1.New() //nolint:gosec // version 5 is defined with SHA-1
		h.Write(namespace)
		h.Write([]byte(args[1]))
		return cty.StringVal(formatUUID([16]byte(h.Sum(nil)[:16]), 5)), nil
	})
}

func parseUUID(s string) ([]byte, bool) {
	digits, ok := uuidNamespaces[s]
	if !ok {
		if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
			return nil, false
		}
		digits = s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	}
	id, err := hex.DecodeString(digits)
	return id, err == nil
}
