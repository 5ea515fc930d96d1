package conn

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// fingerprintPrefix begins a fingerprint as ssh-keygen -l prints it.
const fingerprintPrefix = "SHA256:"

// CheckHostKey returns an error unless text is valid in [Trust].Pinned: a public key as in
// a .pub file, or the SHA-256 fingerprint of one.
func CheckHostKey(text string) error {
	if sum, ok := strings.CutPrefix(text, fingerprintPrefix); ok {
		if b, err := base64.RawStdEncoding.DecodeString(sum); err != nil || len(b) != sha256.Size {
			return errors.New("a fingerprint consists of SHA256: and 43 characters, as ssh-keygen -l prints it")
		}
		return nil
	}
	if _, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(text)); err != nil || len(rest) > 0 { //nolint:dogsled // of a key only the key counts
		return errors.New("must be a public key (ssh-ed25519 AAAA…) or a fingerprint (SHA256:…)")
	}
	return nil
}

// CheckKnownHosts returns an error unless text is valid in [Trust].Known: lines of a
// known_hosts file, with comments and empty lines.
func CheckKnownHosts(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		switch marker, _, _, _, _, err := ssh.ParseKnownHosts([]byte(line)); {
		case err != nil:
			return errors.New("must consist of lines of a known_hosts file (host names, type of the key, key), as ssh-keyscan prints them")
		case marker != "" && marker != "cert-authority" && marker != "revoked":
			return fmt.Errorf("unknown marker @%s", marker)
		}
	}
	return nil
}

// CheckPrivateKey returns an error unless text is a private key, perhaps encrypted.
func CheckPrivateKey(text string) error {
	_, err := ssh.ParseRawPrivateKey([]byte(text))
	if _, encrypted := errors.AsType[*ssh.PassphraseMissingError](err); err == nil || encrypted {
		return nil
	}
	if _, _, _, _, public := ssh.ParseAuthorizedKey([]byte(text)); public == nil { //nolint:dogsled // it only matters that it is one
		return errors.New("must be a private key, but it is a public key. The private key is in the file without .pub")
	}
	return errors.New("must be a private key in OpenSSH or PEM format, including its first and last line")
}

// CheckCertificate returns an error unless text is a certificate as in a -cert.pub
// file.
func CheckCertificate(text string) error {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil {
		return errors.New("must be a certificate (ssh-ed25519-cert-v01@openssh.com AAAA…)")
	}
	if _, ok := key.(*ssh.Certificate); !ok {
		return errors.New("must be a certificate, but it is a public key")
	}
	return nil
}
