package conn

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestInvalidCertificates checks that user certificates, and host certificates that are
// expired, forged or for another host, are rejected. There is no server, because sshd does not
// load a forged certificate.
func TestInvalidCertificates(t *testing.T) {
	t.Parallel()
	authority, key := sshdtest.NewKey(t), sshdtest.NewKey(t)
	line := "@cert-authority * " + string(ssh.MarshalAuthorizedKey(authority.PublicKey()))
	trust, err := newTrust(&Options{Address: "web", Port: 22, Trust: Trust{Policy: AcceptNew, Known: []string{line}}})
	if err != nil {
		t.Fatal(err)
	}
	const good, forged = "good", "forged"
	for name, spoil := range map[string]func(*ssh.Certificate){
		good:           func(*ssh.Certificate) {},
		"of a user":    func(c *ssh.Certificate) { c.CertType = ssh.UserCert },
		"of yesterday": func(c *ssh.Certificate) { c.ValidBefore = uint64(time.Now().Add(-time.Minute).Unix()) },
		"of another":   func(c *ssh.Certificate) { c.ValidPrincipals = []string{"db"} },
		forged:         func(c *ssh.Certificate) { c.Serial++ },
	} {
		cert := sshdtest.Certify(t, authority, key.PublicKey(), ssh.HostCert, "web")
		spoil(cert)
		if name != forged {
			if err := cert.SignCert(rand.Reader, authority); err != nil {
				t.Fatal(err)
			}
		}
		check, err := trust.begin()
		if err != nil {
			t.Fatal(err)
		}
		err = check.verify(cert)
		if name == good && err != nil || name != good && (err == nil || !strings.Contains(err.Error(), "host certificate")) {
			t.Errorf("%s: verify returned %v, want an error about the host certificate: %t", name, err, name != good)
		}
	}
}
