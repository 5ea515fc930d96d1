package conn

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Errors of host key verification. Each has the expected key and the received one, in the
// format of ssh-keygen -l, and what to do.

func keyUnknown(t *trust, key ssh.PublicKey) error {
	where := "nothing names a key of it"
	if len(t.files) > 0 {
		where = strings.Join(t.files, " and ") + " has no key for it"
	}
	return fmt.Errorf("its host key is not known: it shows %s, and %s. When that is the fingerprint which its console or its owner "+
		"tells, add the key to known_hosts under the name %s, or set host_key to it; or set the policy accept_new to believe "+
		"each host the first time", describe(key), where, t.name)
}

func keyChanged(name string, known []knownLine, key ssh.PublicKey) error {
	var had []string
	for _, line := range known {
		had = append(had, fmt.Sprintf("%s (%s)", describe(line.key), line.where))
	}
	return fmt.Errorf("its host key is another than the known one, so it may be an impostor. Known for %s: %s. It shows: %s. "+
		"If the host was reinstalled and that is the fingerprint which its console tells, replace the key there "+
		"(ssh-keygen -R '%[1]s' removes it)", name, strings.Join(had, ", "), describe(key))
}

func keyRevoked(line knownLine) error {
	return fmt.Errorf("it uses the host key %s, which %s revokes: the host must get another one, and until then nobody knows who "+
		"answers there", describe(line.key), line.where)
}

func badCertificate(line knownLine, cause error) error {
	return fmt.Errorf("its host certificate is of the authority of %s, but not valid: %w. It must be issued again, for this name",
		line.where, cause)
}

func notPinned(pins []pin, key ssh.PublicKey) error {
	var want []string
	for _, p := range pins {
		want = append(want, p.String())
	}
	return fmt.Errorf("its host key is not the one that host_key says, so it may be an impostor. Expected: %s. It shows: %s. "+
		"If the host was reinstalled and that is the fingerprint which its console tells, set host_key to it",
		strings.Join(want, " or "), describe(key))
}
