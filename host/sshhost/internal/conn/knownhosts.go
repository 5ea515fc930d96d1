package conn

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // known_hosts files use it to hash names
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// The markers of known_hosts lines.
const (
	authority = "cert-authority"
	revoked   = "revoked"
)

// knownLine is a line of a known_hosts file or text.
type knownLine struct {
	where  string // position for messages, such as path:line
	file   string // path of the file; empty for a line of a text
	marker string // authority, revoked or empty
	names  []string
	key    ssh.PublicKey
}

// parseKnown parses a text. Like OpenSSH, it skips lines that it cannot parse, because
// files may contain key types that only other versions support.
func parseKnown(text []byte, where func(line int) string) []knownLine {
	var lines []knownLine
	number := 0
	for line := range bytes.Lines(text) {
		number++
		marker, names, key, _, _, err := ssh.ParseKnownHosts(line)
		if err == nil && (marker == "" || marker == authority || marker == revoked) {
			lines = append(lines, knownLine{where: where(number), marker: marker, names: names, key: key})
		}
	}
	return lines
}

// readKnown reads a file, which need not exist.
func readKnown(file string) ([]knownLine, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read known_hosts: %w", err)
	}
	lines := parseKnown(text, func(line int) string { return fmt.Sprintf("%s:%d", file, line) })
	for i := range lines {
		lines[i].file = file
	}
	return lines, nil
}

// is reports whether the line matches a host name.
func (k *knownLine) is(name string) bool {
	found := false
	for _, pattern := range k.names {
		pattern, negated := strings.CutPrefix(pattern, "!")
		if !matches(pattern, name) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

func matches(pattern, name string) bool {
	if rest, hashed := strings.CutPrefix(pattern, "|1|"); hashed {
		saltText, sumText, _ := strings.Cut(rest, "|")
		salt, errSalt := base64.StdEncoding.DecodeString(saltText)
		sum, errSum := base64.StdEncoding.DecodeString(sumText)
		mac := hmac.New(sha1.New, salt)
		mac.Write([]byte(name))
		return errSalt == nil && errSum == nil && hmac.Equal(sum, mac.Sum(nil))
	}
	return wildcard(strings.ToLower(pattern), name)
}

// wildcard reports whether name matches pattern, in which only * and ? are special: brackets
// are part of addresses.
func wildcard(pattern, name string) bool {
	for pattern != "" {
		switch {
		case pattern[0] == '*':
			rest := strings.TrimLeft(pattern, "*")
			for i := range len(name) + 1 {
				if wildcard(rest, name[i:]) {
					return true
				}
			}
			return false
		case name == "" || pattern[0] != '?' && pattern[0] != name[0]:
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return name == ""
}

// appendKnown appends a line to a known_hosts file and creates the file and its directory if necessary. If
// the file has hashed names, the name is hashed. The line is appended in one write, so that concurrent
// writers do not overwrite each other.
func appendKnown(file, name string, key ssh.PublicKey) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err != nil {
		return err
	}
	if bytes.HasPrefix(text, []byte("|1|")) || bytes.Contains(text, []byte("\n|1|")) {
		name = knownhosts.HashHostname(name)
	}
	line := name + " " + string(ssh.MarshalAuthorizedKey(key))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
