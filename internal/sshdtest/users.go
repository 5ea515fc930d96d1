package sshdtest

import (
	"bytes"
	"cmp"
	"crypto/sha512"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

// firstID is the UID of the first user, unless that user is root. It is far above the UIDs of
// login users, which Debian assigns from 1000 upwards, and in no range for services.
const firstID = 41000

// writeUsers writes the keys of all users and, for a sandbox, the account files and the rules
// of sudo and PAM. The account files are those of this host with the users of the server added
// or replaced.
func (s *Server) writeUsers() error {
	keys := filepath.Join(s.dir, "keys")
	if err := os.Mkdir(keys, 0o755); err != nil { // sshd reads the keys as the user
		return err
	}
	for _, u := range s.config.Users {
		var text bytes.Buffer
		for _, key := range u.Keys {
			text.Write(ssh.MarshalAuthorizedKey(key))
		}
		if err := os.WriteFile(filepath.Join(keys, u.Name), text.Bytes(), 0o644); err != nil { // all users read it
			return err
		}
	}
	if !s.sandboxed {
		return nil
	}
	return errors.Join(s.writeAccounts(), s.writeRules())
}

// writeAccounts writes passwd, shadow and group, and creates the home
// directories.
func (s *Server) writeAccounts() error {
	etc := filepath.Join(s.dir, "etc")
	home := filepath.Join(s.dir, "home")
	for _, dir := range []string{etc, home} {
		if err := os.Mkdir(dir, 0o755); err != nil { // all users read it
			return err
		}
	}
	files := map[string]*accounts{}
	for _, name := range []string{"passwd", "shadow", "group"} {
		text, err := os.ReadFile(filepath.Join("/etc", name))
		if err != nil {
			return err
		}
		files[name] = &accounts{lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
	}
	for i, u := range s.config.Users {
		id := firstID + i
		if u.Name == "root" {
			id = 0
		}
		dir := filepath.Join(home, u.Name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := os.Chown(dir, id, id); err != nil {
			return err
		}
		password := "*" // matches no password
		if u.Password != "" {
			password = crypt(u.Password, "posix")
		}
		files["passwd"].set(u.Name, fmt.Sprintf("x:%d:%d::%s:%s", id, id, dir, cmp.Or(u.Shell, "/bin/sh")))
		files["shadow"].set(u.Name, password+":19000:0:99999:7:::")
		files["group"].set(u.Name, fmt.Sprintf("x:%d:", id))
	}
	for name, file := range files {
		mode := fs.FileMode(0o644)
		if name == "shadow" {
			mode = 0o600
		}
		if err := os.WriteFile(filepath.Join(etc, name), []byte(strings.Join(file.lines, "\n")+"\n"), mode); err != nil {
			return err
		}
	}
	return nil
}

// accounts has the lines of a file with one account per line. A line begins with the name of its account.
type accounts struct{ lines []string }

// set replaces or adds the line of a name.
func (a *accounts) set(name, rest string) {
	line := name + ":" + rest
	for i, l := range a.lines {
		if strings.HasPrefix(l, name+":") {
			a.lines[i] = line
			return
		}
	}
	a.lines = append(a.lines, line)
}

// writeRules writes the rules of sudo and PAM, which are like the rules of Debian without
// effects on the host (mail, the system log, the message of the day) and without the delay
// after a wrong password.
func (s *Server) writeRules() error {
	var rules strings.Builder
	rules.WriteString("Defaults env_reset, use_pty, !syslog, !mail_badpass\n" +
		"Defaults secure_path=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\n" +
		"root ALL=(ALL:ALL) ALL\n")
	for _, u := range s.config.Users {
		switch u.Sudo {
		case NoSudo:
		case SudoPassword:
			fmt.Fprintf(&rules, "%s ALL=(ALL:ALL) ALL\n", u.Name)
		case SudoNoPassword:
			fmt.Fprintf(&rules, "%s ALL=(ALL:ALL) NOPASSWD: ALL\n", u.Name)
		}
	}
	etc := filepath.Join(s.dir, "etc")
	if err := os.WriteFile(filepath.Join(etc, "sudoers"), []byte(rules.String()), 0o440); err != nil { // the default mode of sudoers
		return err
	}
	pam := filepath.Join(etc, "pam.d")
	if err := os.Mkdir(pam, 0o755); err != nil { // all users read it
		return err
	}
	const stack = "auth required pam_unix.so nodelay\naccount required pam_unix.so\n" +
		"password required pam_unix.so\nsession required pam_permit.so\n"
	for _, service := range []string{"sshd", "sudo", "sudo-i", "su", "other"} {
		if err := os.WriteFile(filepath.Join(pam, service), []byte(stack), 0o644); err != nil { // all users read it
			return err
		}
	}
	return nil
}

// crypt returns the hash of a password for /etc/shadow by method 6 (SHA-512). It uses the
// minimum number of rounds, because the hash protects nothing.
func crypt(password, salt string) string {
	const rounds = 1000
	key, salted := []byte(password), []byte(salt)
	sum := func(parts ...[]byte) []byte {
		h := sha512.Sum512(bytes.Join(parts, nil))
		return h[:]
	}
	stretch := func(b []byte, n int) []byte { return bytes.Repeat(b, n/len(b)+1)[:n] }

	inner := sum(key, salted, key)
	mixed := [][]byte{key, salted, stretch(inner, len(key))}
	for n := len(key); n > 0; n >>= 1 {
		if n&1 == 1 {
			mixed = append(mixed, inner)
		} else {
			mixed = append(mixed, key)
		}
	}
	state := sum(mixed...)
	p := stretch(sum(bytes.Repeat(key, len(key))), len(key))
	s := stretch(sum(bytes.Repeat(salted, 16+int(state[0]))), len(salted))
	for i := range rounds {
		var parts [][]byte
		first, last := state, p
		if i%2 == 1 {
			first, last = p, state
		}
		parts = append(parts, first)
		if i%3 != 0 {
			parts = append(parts, s)
		}
		if i%7 != 0 {
			parts = append(parts, p)
		}
		state = sum(append(parts, last)...)
	}

	const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var text strings.Builder
	encode := func(value uint, digits int) {
		for range digits {
			text.WriteByte(alphabet[value&63])
			value >>= 6
		}
	}
	for a, b, c, i := 0, 21, 42, 0; i < 21; i++ {
		encode(uint(state[a])<<16|uint(state[b])<<8|uint(state[c]), 4)
		a, b, c = b+1, c+1, a+1
	}
	encode(uint(state[63]), 2)
	return fmt.Sprintf("$6$rounds=%d$%s$%s", rounds, salt, text.String())
}
