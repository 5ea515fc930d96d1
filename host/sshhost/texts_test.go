package sshhost_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// newKey returns a new Ed25519 private key in PEM format. The key is encrypted if passphrase is not empty.
func newKey(t *testing.T, passphrase string) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

// newCertificate returns a new user certificate, signed by its own key, as a line of a public key file.
func newCertificate(t *testing.T) string {
	t.Helper()
	signer, err := ssh.ParsePrivateKey([]byte(newKey(t, "")))
	if err != nil {
		t.Fatal(err)
	}
	c := &ssh.Certificate{Key: signer.PublicKey(), CertType: ssh.UserCert}
	if err := c.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	return string(ssh.MarshalAuthorizedKey(c))
}

// soon returns a channel that fires after a short time, in which an unwanted event would have
// happened.
func soon() <-chan time.Time { return time.After(20 * time.Millisecond) }

// gauge counts the open connections, and keeps their maximum number.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

func newGauge() *gauge { return &gauge{} }

func (g *gauge) up() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now++
	g.most = max(g.most, g.now)
}

func (g *gauge) down() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}
