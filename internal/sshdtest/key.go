package sshdtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// Kinds of keys.
const (
	ED25519 = ssh.KeyAlgoED25519
	ECDSA   = ssh.KeyAlgoECDSA256
	RSA     = ssh.KeyAlgoRSA
)

// Key is a key pair.
type Key struct {
	ssh.Signer
	private crypto.PrivateKey
}

// Generate returns a new key of a kind.
func Generate(kind string) (Key, error) {
	var private crypto.Signer
	var err error
	switch kind {
	case ED25519:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	case ECDSA:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case RSA:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	default:
		err = fmt.Errorf("unknown kind of key %q", kind)
	}
	if err != nil {
		return Key{}, err
	}
	signer, err := ssh.NewSignerFromSigner(private)
	return Key{Signer: signer, private: private}, err
}

// NewKey returns a new ed25519 key for a test.
func NewKey(tb testing.TB) Key {
	tb.Helper()
	return NewKeyOf(tb, ED25519)
}

// NewKeyOf returns a new key of a kind for a test.
func NewKeyOf(tb testing.TB, kind string) Key {
	tb.Helper()
	key, err := Generate(kind)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// PEM returns the private key in OpenSSH's format, encrypted unless passphrase
// is empty.
func (k Key) PEM(passphrase string) ([]byte, error) {
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(k.private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(k.private, "", []byte(passphrase))
	}
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(block), nil
}

// File writes the private key to a file of the test, encrypted unless
// passphrase is empty, and returns its path.
func (k Key) File(tb testing.TB, passphrase string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "id")
	text, err := k.PEM(passphrase)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Certify returns a certificate for a key, signed by a CA: for a user or a
// host, limited to the given principals.
func Certify(tb testing.TB, authority Key, key ssh.PublicKey, kind uint32, names ...string) *ssh.Certificate {
	tb.Helper()
	cert := &ssh.Certificate{
		Key:             key,
		KeyId:           "test",
		CertType:        kind,
		ValidPrincipals: names,
		ValidBefore:     ssh.CertTimeInfinity,
		ValidAfter:      uint64(time.Now().Add(-time.Hour).Unix()), // not negative after 1970
	}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		tb.Fatal(err)
	}
	return cert
}
