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
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
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

// Generate returns a new key of a kind such as [ED25519], or an error if the kind is unknown.
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

// Certify returns a certificate for a key, signed by authority. kind is [ssh.UserCert]
// or [ssh.HostCert]; names are the principals.
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

// AgentKey is a key in an agent.
type AgentKey struct {
	Key
	Certificate *ssh.Certificate // nil: none
}

// StartAgent runs an ssh-agent with keys for a test and returns the path of its
// socket. If ssh-agent is missing, it skips the test, or fails it if CI is set.
func StartAgent(tb testing.TB, keys ...AgentKey) string {
	tb.Helper()
	require(tb, "ssh-agent")
	dir, err := os.MkdirTemp("", "agent-") //nolint:usetesting // the path of t.TempDir is too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "agent")
	cmd := exec.CommandContext(tb.Context(), "ssh-agent", "-D", "-a", socket)
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = cmd.Wait() }) // the test's context has killed it
	if err := fillAgent(socket, keys); err != nil {
		tb.Fatal(err)
	}
	return socket
}

func fillAgent(socket string, keys []AgentKey) error {
	var conn net.Conn
	var err error
	for deadline := time.Now().Add(maxWait); ; time.Sleep(time.Millisecond) {
		if conn, err = net.Dial("unix", socket); err == nil { //nolint:noctx // a local socket answers at once
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("ssh-agent does not listen: %w", err)
		}
	}
	defer func() { _ = conn.Close() }() // the agent has acknowledged each key
	client := agent.NewClient(conn)
	for _, key := range keys {
		if err := client.Add(agent.AddedKey{PrivateKey: key.private, Certificate: key.Certificate}); err != nil {
			return err
		}
	}
	return nil
}
