package conn

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// candidate is a key to offer.
type candidate struct {
	ssh.Signer
	label string // source of the key, for messages
}

// keyring is the list of keys to offer.
type keyring struct {
	candidates []candidate
	notes      []string // reasons why keys are missing
	agent      net.Conn // nil if there is none
}

// openKeyring loads the keys and those of the agent. If an explicitly configured key cannot be
// loaded, or can be used only with an agent and no agent has it, the error matches [ErrRefused].
func openKeyring(ctx context.Context, auth *Auth) (*keyring, error) {
	ring := &keyring{}
	var asked, implicit []loaded
	for _, k := range auth.Keys {
		key, err := k.load()
		switch {
		case err == nil && k.Implicit:
			implicit = append(implicit, key)
		case err == nil:
			asked = append(asked, key)
		case !k.Implicit:
			return nil, refusedError{err}
		case !errors.Is(err, fs.ErrNotExist):
			ring.notes = append(ring.notes, err.Error())
		}
	}
	for _, key := range asked {
		ring.add(key.candidates...)
	}
	if auth.Agent != "" {
		if err := ring.addAgentKeys(ctx, auth, slices.Concat(asked, implicit)); err != nil {
			ring.notes = append(ring.notes, fmt.Sprintf("cannot get keys from the agent at %s: %v", auth.Agent, err))
		}
	}
	for _, key := range asked {
		if len(key.candidates) == 0 && !ring.has(key.public) {
			ring.close()
			return nil, refusedError{key.missing}
		}
	}
	for _, key := range implicit {
		if len(key.candidates) == 0 && !ring.has(key.public) {
			ring.notes = append(ring.notes, key.missing.Error())
		}
		ring.add(key.candidates...)
	}
	return ring, nil
}

// add appends the candidates that are not in the keyring yet.
func (r *keyring) add(more ...candidate) {
	for _, c := range more {
		if !slices.ContainsFunc(r.candidates, func(had candidate) bool { return same(had.PublicKey(), c.PublicKey()) }) {
			r.candidates = append(r.candidates, c)
		}
	}
}

// has reports whether a key is in the keyring, with or without a certificate.
func (r *keyring) has(key ssh.PublicKey) bool {
	return key != nil && slices.ContainsFunc(r.candidates, func(c candidate) bool { return same(certifiedKey(c.PublicKey()), key) })
}

// certifiedKey returns the key of a certificate, or the key itself.
func certifiedKey(key ssh.PublicKey) ssh.PublicKey {
	parsed, err := ssh.ParsePublicKey(key.Marshal())
	if err != nil {
		return key
	}
	if cert, ok := parsed.(*ssh.Certificate); ok {
		return cert.Key
	}
	return parsed
}

// addAgentKeys adds the agent's keys. If AgentKeysOnly is set, it adds only those in files.
// The context limits only this request, not later ones to sign.
func (r *keyring) addAgentKeys(ctx context.Context, auth *Auth, files []loaded) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", auth.Agent)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // aborts the request when ctx ends
	signers, err := agent.NewClient(conn).Signers()
	if !stop() {
		return context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close() // no write can be lost
		return err
	}
	r.agent = conn
	for _, signer := range signers {
		key := certifiedKey(signer.PublicKey())
		named := slices.ContainsFunc(files, func(k loaded) bool { return k.public != nil && same(k.public, key) })
		if named || !auth.AgentKeysOnly {
			r.add(candidate{signer, agentLabel})
		}
	}
	return nil
}

const agentLabel = "agent"

func (r *keyring) close() {
	if r.agent != nil {
		_ = r.agent.Close() // no write can be lost
	}
}

// loaded is the result of loading a key.
type loaded struct {
	candidates []candidate   // empty if the key cannot be used without the agent
	public     ssh.PublicKey // nil if unknown
	missing    error         // why there are no candidates
}

// load reads the key and its certificate.
func (k *Key) load() (loaded, error) {
	text, label := []byte(k.Text), "the private key given as text"
	if k.Path != "" {
		label = k.Path
		var err error
		if text, err = os.ReadFile(k.Path); err != nil {
			return k.unusable(fmt.Errorf("private key: %w", err))
		}
	}
	signer, err := ssh.ParsePrivateKey(text)
	if encrypted, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		if k.Passphrase == nil {
			return loaded{
				public:  cmp.Or(encrypted.PublicKey, k.publicFile()),
				missing: fmt.Errorf("%s is encrypted: set its passphrase, or add the key to the agent", label),
			}, nil
		}
		signer, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(*k.Passphrase))
	}
	if err != nil {
		if public, _, _, _, notPublic := ssh.ParseAuthorizedKey(text); notPublic == nil {
			return loaded{public: public, missing: fmt.Errorf("%s is a public key, and no agent has its private key: set the private key instead, or add the private key to the agent", label)}, nil
		}
		if errors.Is(err, x509.IncorrectPasswordError) {
			return loaded{}, fmt.Errorf("%s: wrong passphrase", label)
		}
		return k.unusable(fmt.Errorf("%s is not a valid private key: %w", label, err))
	}
	key := loaded{public: signer.PublicKey(), candidates: []candidate{{signer, label}}}
	cert, err := k.certificate()
	if err != nil || cert == nil {
		return key, err
	}
	certified, err := ssh.NewCertSigner(cert, signer)
	if err != nil {
		return loaded{}, fmt.Errorf("the certificate for %s belongs to another key", label)
	}
	key.candidates = append([]candidate{{certified, "certificate for " + label}}, key.candidates...)
	return key, nil
}

// unusable returns the result for a private key that cannot be used because of err. If its public key is
// known, an agent may have the key: the file may be missing, or be that of a security key (FIDO), whose
// type is not supported.
func (k *Key) unusable(err error) (loaded, error) {
	if public := k.publicFile(); public != nil {
		return loaded{public: public, missing: err}, nil
	}
	return loaded{}, err
}

// publicFile returns the public key from the .pub file beside the private key, or nil.
func (k *Key) publicFile() ssh.PublicKey {
	if k.Path == "" {
		return nil
	}
	text, err := os.ReadFile(k.Path + ".pub")
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil
	}
	return key
}

// certificate returns the certificate, or nil if there is none.
func (k *Key) certificate() (*ssh.Certificate, error) {
	text, label := []byte(k.Certificate), "the certificate given as text"
	if k.Certificate == "" {
		if k.CertificatePath == "" && k.Path == "" {
			return nil, nil //nolint:nilnil // a missing certificate is not an error
		}
		label = cmp.Or(k.CertificatePath, k.Path+"-cert.pub")
		var err error
		text, err = os.ReadFile(label)
		switch {
		case k.CertificatePath == "" && errors.Is(err, fs.ErrNotExist):
			return nil, nil //nolint:nilnil // as above
		case err != nil:
			return nil, fmt.Errorf("certificate: %w", err)
		}
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(bytes.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%s is not a certificate", label)
	}
	cert, ok := key.(*ssh.Certificate)
	if !ok {
		return nil, fmt.Errorf("%s is a public key, not a certificate", label)
	}
	return cert, nil
}
