package conn

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// The errors of host key verification name the expected and the received keys in the
// form of ssh-keygen -l, and say what to do.

func keyUnknown(t *trust, key ssh.PublicKey) error {
	where := "no key is configured for it"
	if len(t.files) > 0 {
		where = strings.Join(t.files, " and ") + " has no key for it"
	}
	return fmt.Errorf("host key verification failed: the key %s is not known, since %s. Compare the fingerprint with the one on the console of the host; "+
		"if they are equal, add the key to known_hosts under the name %s, or set host_key to it. To accept the first key of each host, "+
		"set the policy accept_new", describe(key), where, t.name)
}

func keyChanged(name string, known []knownLine, key ssh.PublicKey) error {
	var had []string
	for _, line := range known {
		had = append(had, fmt.Sprintf("%s (%s)", describe(line.key), line.where))
	}
	return fmt.Errorf("host key verification failed: the key has changed, which can be an attack. Known for %s: %s. Received: %s. "+
		"If the host was reinstalled, compare the fingerprint with the one on its console; if they are equal, replace the known key "+
		"(ssh-keygen -R '%[1]s' removes it)", name, strings.Join(had, ", "), describe(key))
}

func keyRevoked(line knownLine) error {
	return fmt.Errorf("host key verification failed: the key %s is revoked by %s. The host needs a new key", describe(line.key), line.where)
}

func badCertificate(line knownLine, cause error) error {
	return fmt.Errorf("host key verification failed: the host certificate of the authority in %s is not valid: %w. Issue a new one for this name",
		line.where, cause)
}

func notPinned(pins []pin, key ssh.PublicKey) error {
	var want []string
	for _, p := range pins {
		want = append(want, p.String())
	}
	return fmt.Errorf("host key verification failed: the key differs from host_key, which can be an attack. Expected: %s. Received: %s. "+
		"If the host was reinstalled, compare the fingerprint with the one on its console; if they are equal, set host_key to it",
		strings.Join(want, " or "), describe(key))
}
