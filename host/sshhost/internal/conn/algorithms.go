package conn

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// chooseAlgorithms returns the host key algorithms that match a HostKeyAlgorithms value of
// ssh_config, in order of preference.
func chooseAlgorithms(text string) ([]string, error) {
	usual := usualAlgorithms()
	all := slices.Concat(usual, ssh.InsecureAlgorithms().HostKeys)
	if text == "" {
		return usual, nil
	}
	mode := text[0]
	if strings.IndexByte("+-^", mode) < 0 {
		mode = '='
	} else {
		text = text[1:]
	}
	var named []string
	for name := range strings.SplitSeq(text, ",") {
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
		return nil, fmt.Errorf("none of the host key algorithms %q can be used here: there are %s", text, strings.Join(all, ", "))
	}
	return chosen, nil
}

// usualAlgorithms returns the default algorithms: certificates before keys, and those
// that are fast to verify first.
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
