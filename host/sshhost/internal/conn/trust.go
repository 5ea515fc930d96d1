package conn

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// trust verifies host keys.
type trust struct {
	policy    Policy
	pins      []pin
	inline    []knownLine
	files     []string
	principal string   // name to look for in certificates
	name      string   // name to look for in known_hosts lines
	plain     string   // name without the port; empty if it has none
	offered   []string // host key algorithms, in order of preference

	mu         sync.Mutex
	remembered []knownLine // keys accepted while there is no file to write to
}

// pin is a pinned key or fingerprint.
type pin struct {
	key         ssh.PublicKey
	fingerprint string
}

func (p pin) is(key ssh.PublicKey) bool {
	if p.key != nil {
		return same(p.key, key)
	}
	return p.fingerprint == ssh.FingerprintSHA256(key)
}

func (p pin) String() string {
	if p.key != nil {
		return describe(p.key)
	}
	return p.fingerprint
}

func same(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

// describe returns a key's type and fingerprint for a message.
func describe(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

func newTrust(o *Options) (*trust, error) {
	t := &trust{policy: o.Trust.Policy, files: o.Trust.Files}
	t.principal = strings.ToLower(o.Address)
	t.name = strings.ToLower(knownhosts.Normalize(o.address()))
	if o.Port != 22 {
		t.plain = t.principal
	}
	if alias := strings.ToLower(o.Trust.Alias); alias != "" {
		t.principal, t.name, t.plain = alias, alias, ""
	}
	for _, text := range o.Trust.Pinned {
		p := pin{fingerprint: text}
		if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)); err == nil { //nolint:dogsled // only the key is used
			p = pin{key: key}
		}
		t.pins = append(t.pins, p)
	}
	for i, text := range o.Trust.Known {
		t.inline = append(t.inline, parseKnown([]byte(text), func(line int) string {
			return fmt.Sprintf("line %d of known_hosts[%d]", line, i)
		})...)
	}
	var err error
	t.offered, err = chooseAlgorithms(strings.Join(o.Trust.Algorithms, ","))
	return t, err
}

// check is the host key verification of one call of Conn.try, which may connect several times.
type check struct {
	trust   *trust
	lines   []knownLine   // lines that match the host, or its name without the port
	refused string        // type of the key that is not pinned; empty if there is none, or once without contains it
	without []string      // key types to leave out of the next attempt
	good    ssh.PublicKey // the verified key; it is presented again when keys are re-exchanged
}

// begin returns the check for one call of Conn.try. It reads the known keys if they are needed.
func (t *trust) begin() (*check, error) {
	c := &check{trust: t}
	if len(t.pins) > 0 || t.policy == Insecure {
		return c, nil
	}
	t.mu.Lock()
	lines := slices.Concat(t.inline, t.remembered)
	t.mu.Unlock()
	for _, file := range t.files {
		more, err := readKnown(file)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	for _, line := range lines {
		if line.is(t.name) || t.plain != "" && line.is(t.plain) {
			c.lines = append(c.lines, line)
		}
	}
	return c, nil
}

// about returns the lines with the given marker that match a name.
func (c *check) about(name, marker string) []knownLine {
	var found []knownLine
	for _, line := range c.lines {
		if name != "" && line.marker == marker && line.is(name) {
			found = append(found, line)
		}
	}
	return found
}

// authorities returns the lines of certificate authorities for the host.
func (c *check) authorities() []knownLine {
	return append(c.about(c.trust.name, authority), c.about(c.trust.plain, authority)...)
}

// algorithms returns the algorithms to offer, first those of certificates and of known or pinned keys. Like
// verifyPlain, it uses the keys that are known without the port only if none is known with the port.
func (c *check) algorithms() []string {
	lines := c.about(c.trust.name, "")
	if len(lines) == 0 {
		lines = c.about(c.trust.plain, "")
	}
	known := map[string]bool{}
	for _, line := range lines {
		known[line.key.Type()] = true
	}
	for _, p := range c.trust.pins {
		if p.key != nil {
			known[p.key.Type()] = true
		}
	}
	certified := len(c.authorities()) > 0
	var first, rest []string
	for _, algorithm := range c.trust.offered {
		switch kind := keyKind(algorithm); {
		case slices.Contains(c.without, kind) || isCertificate(kind) && !certified:
		case known[kind] || isCertificate(kind):
			first = append(first, algorithm)
		default:
			rest = append(rest, algorithm)
		}
	}
	return append(first, rest...)
}

// another reports whether the host may have, in addition to the rejected key, a pinned
// one of another type. It leaves the type of the rejected key out of the next attempt.
func (c *check) another() bool {
	if c.refused == "" {
		return false
	}
	c.without = append(c.without, c.refused)
	c.refused = ""
	return len(c.algorithms()) > 0 && slices.ContainsFunc(c.trust.pins, func(p pin) bool {
		return p.key == nil || !slices.Contains(c.without, p.key.Type())
	})
}

// verify returns an error unless the host key is accepted. With [AcceptNew], it stores a new key.
func (c *check) verify(key ssh.PublicKey) error {
	if c.good != nil && same(c.good, key) {
		return nil
	}
	err := c.judge(key)
	if err == nil {
		c.good = key
	}
	return err
}

func (c *check) judge(key ssh.PublicKey) error {
	t := c.trust
	if len(t.pins) > 0 {
		if slices.ContainsFunc(t.pins, func(p pin) bool { return p.is(key) }) {
			return nil
		}
		c.refused = key.Type()
		return notPinned(t.pins, key)
	}
	if t.policy == Insecure {
		return nil
	}
	involved := []ssh.PublicKey{key}
	cert, certified := key.(*ssh.Certificate)
	if certified {
		key = cert.Key
		involved = []ssh.PublicKey{cert.Key, cert.SignatureKey}
	}
	for _, line := range append(c.about(t.name, revoked), c.about(t.plain, revoked)...) {
		if slices.ContainsFunc(involved, func(k ssh.PublicKey) bool { return same(k, line.key) }) {
			return keyRevoked(line)
		}
	}
	if certified {
		for _, line := range c.authorities() {
			if same(line.key, cert.SignatureKey) {
				return t.certified(cert, line)
			}
		}
	}
	return c.verifyPlain(key)
}

// certified verifies a certificate of a trusted authority.
func (t *trust) certified(cert *ssh.Certificate, line knownLine) error {
	if cert.CertType != ssh.HostCert {
		return badCertificate(line, errors.New("not a host certificate"))
	}
	if err := new(ssh.CertChecker).CheckCert(t.principal, cert); err != nil {
		return badCertificate(line, err)
	}
	return nil
}

func (c *check) verifyPlain(key ssh.PublicKey) error {
	t := c.trust
	is := func(line knownLine) bool { return same(line.key, key) }
	known := c.about(t.name, "")
	switch {
	case slices.ContainsFunc(known, is):
		return nil
	case len(known) > 0:
		return keyChanged(t.name, known, key)
	case slices.ContainsFunc(c.about(t.plain, ""), is):
		return nil
	case t.policy != AcceptNew:
		return keyUnknown(t, key)
	}
	return t.remember(key)
}

// remember stores a key as known.
func (t *trust) remember(key ssh.PublicKey) error {
	if len(t.files) > 0 {
		if err := appendKnown(t.files[0], t.name, key); err != nil {
			return fmt.Errorf("cannot add the new host key %s to known_hosts: %w", describe(key), err)
		}
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remembered = append(t.remembered, knownLine{where: "the first connection", names: []string{t.name}, key: key})
	return nil
}

// The errors of host key verification name keys by their fingerprints, in the form of
// ssh-keygen -l, and contain advice.

func keyUnknown(t *trust, key ssh.PublicKey) error {
	where := "no host key is configured for " + t.name
	if len(t.files) > 0 {
		where = "no key for " + t.name + " is in " + strings.Join(t.files, " or ")
	}
	return fmt.Errorf("host key verification failed: the key %s is not known, since %s. Compare the fingerprint with the one on the console of the host; "+
		"if they are equal, add the key to known_hosts under the name %s, or set host_key to the fingerprint. To accept the first key of each host, "+
		"set host_key_policy to accept_new", describe(key), where, t.name)
}

func keyChanged(name string, known []knownLine, key ssh.PublicKey) error {
	var had, removals []string
	for _, line := range known {
		had = append(had, fmt.Sprintf("%s (%s)", describe(line.key), line.where))
		removal := fmt.Sprintf("ssh-keygen -R '%s' -f '%s'", name, line.file)
		if line.file != "" && !slices.Contains(removals, removal) {
			removals = append(removals, removal)
		}
	}
	remedy := "replace the known key"
	if len(removals) > 0 {
		remedy += fmt.Sprintf(" (to remove it: %s)", strings.Join(removals, " && "))
	}
	return fmt.Errorf("host key verification failed: the key has changed, which can be an attack. Known for %s: %s. Received: %s. "+
		"If the host was reinstalled, compare the fingerprint with the one on its console; if they are equal, %s",
		name, strings.Join(had, ", "), describe(key), remedy)
}

func keyRevoked(line knownLine) error {
	return fmt.Errorf("host key verification failed: the key %s is revoked by %s. The host needs a different key or certificate", describe(line.key), line.where)
}

func badCertificate(line knownLine, cause error) error {
	return fmt.Errorf("host key verification failed: the host certificate of the authority in %s is not valid: %w. Issue a new certificate for the host name",
		line.where, cause)
}

func notPinned(pins []pin, key ssh.PublicKey) error {
	var want []string
	for _, p := range pins {
		want = append(want, p.String())
	}
	return fmt.Errorf("host key verification failed: the key differs from host_key, which can be an attack. Expected: %s. Received: %s. "+
		"If the host was reinstalled, compare the fingerprint with the one on its console; if they are equal, set host_key to the received one",
		strings.Join(want, " or "), describe(key))
}

// chooseAlgorithms returns the host key algorithms that a HostKeyAlgorithms value of ssh_config
// selects, in order of preference. An empty value selects the defaults.
func chooseAlgorithms(text string) ([]string, error) {
	usual := usualAlgorithms()
	all := slices.Concat(usual, ssh.InsecureAlgorithms().HostKeys)
	if text == "" {
		return usual, nil
	}
	mode, names := text[0], text[1:]
	if strings.IndexByte("+-^", mode) < 0 {
		mode, names = '=', text
	}
	var named []string
	for name := range strings.SplitSeq(names, ",") {
		for _, algorithm := range all {
			if wildcard(name, algorithm) && !slices.Contains(named, algorithm) {
				named = append(named, algorithm)
			}
		}
	}
	in := func(algorithm string) bool { return slices.Contains(named, algorithm) }
	var chosen []string
	switch mode {
	case '=':
		chosen = named
	case '+':
		chosen = slices.Concat(usual, slices.DeleteFunc(named, func(a string) bool { return slices.Contains(usual, a) }))
	case '-':
		chosen = slices.DeleteFunc(usual, in)
	case '^':
		chosen = slices.Concat(named, slices.DeleteFunc(usual, in))
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("HostKeyAlgorithms %q selects no supported algorithm. The supported algorithms are %s", text, strings.Join(all, ", "))
	}
	return chosen, nil
}

// usualAlgorithms returns the default algorithms: certificates before keys, and in each group
// ed25519, then ecdsa, then the others.
func usualAlgorithms() []string {
	order := func(algorithm string) int {
		rank := 2
		switch {
		case strings.Contains(algorithm, "ed25519"):
			rank = 0
		case strings.Contains(algorithm, "ecdsa"):
			rank = 1
		}
		if !isCertificate(algorithm) {
			rank += 3
		}
		return rank
	}
	usual := ssh.SupportedAlgorithms().HostKeys
	slices.SortStableFunc(usual, func(a, b string) int { return order(a) - order(b) })
	return usual
}

func isCertificate(algorithm string) bool { return strings.Contains(algorithm, "-cert-v0") }

// keyKind returns the key type of an algorithm.
func keyKind(algorithm string) string {
	switch algorithm {
	case ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512:
		return ssh.KeyAlgoRSA
	case ssh.CertAlgoRSASHA256v01, ssh.CertAlgoRSASHA512v01:
		return ssh.CertAlgoRSAv01
	}
	return algorithm
}
