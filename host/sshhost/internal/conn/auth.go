package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// login offers the keys and the password in a connection attempt, and records for error messages which of
// them it offered.
type login struct {
	user     string
	ring     *keyring
	password *Secret

	// State of one connection attempt.
	position int // index of the next candidate
	offered  []string
	partial  int // number of accepted methods after which the server required another
	used     bool
	accepted []string // methods that the server accepts
	notes    []string // local problems, for the error message
	asked    bool     // a keyboard-interactive question was answered with the password
}

func (c *Conn) newLogin(ctx context.Context) (*login, error) {
	ctx, cancel := c.withTimeout(ctx)
	defer cancel()
	ring, err := openKeyring(ctx, &c.options.Auth)
	if err != nil {
		return nil, err
	}
	return &login{user: c.options.User, ring: ring, password: c.options.Auth.Password}, nil
}

func (l *login) close() { l.ring.close() }

// begin resets the state for a connection attempt.
func (l *login) begin() {
	*l = login{user: l.user, ring: l.ring, password: l.password}
}

const (
	publicKeyMethod   = "publickey"
	passwordMethod    = "password"
	interactiveMethod = "keyboard-interactive"
)

// next returns the method to try next; if there is none, the error matches [ErrRefused]. The ssh package
// calls it with the methods that the server accepts. The password is sent only once, by password or
// keyboard-interactive authentication, unless the server accepts one method and then requires a second one.
func (l *login) next(state *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	l.accepted = state.AllowedMethods
	if n := len(state.PartialSuccessMethods); n > l.partial {
		l.partial = n
		l.used = false // accepted: another method may require it again
	}
	accepts := func(method string) bool { return slices.Contains(l.accepted, method) }
	switch {
	case accepts(publicKeyMethod) && l.position < len(l.ring.candidates):
		c := l.ring.candidates[l.position]
		l.position++
		l.offered = append(l.offered, c.label)
		return ssh.PublicKeys(l.recorded(c.Signer)), nil
	case accepts(passwordMethod) && l.password != nil && !l.used:
		l.used = true
		l.offered = append(l.offered, "the password")
		return ssh.Password(string(*l.password)), nil
	case accepts(interactiveMethod) && l.password != nil && !l.used:
		l.used, l.asked = true, false
		l.offered = append(l.offered, "the password")
		return ssh.KeyboardInteractive(l.answer), nil
	}
	return nil, refusedError{l.refusal()}
}

// answer answers a question for the password, once, if it is the only question and its answer is not
// echoed. Other questions are an error.
func (l *login) answer(_, _ string, questions []string, echos []bool) ([]string, error) {
	switch {
	case len(questions) == 0: // information to display only
		return nil, nil
	case len(questions) == 1 && !echos[0] && !l.asked && asksForPassword(questions[0]):
		l.asked = true
		return []string{string(*l.password)}, nil
	}
	err := fmt.Errorf("the server sent the keyboard-interactive questions %q, but only a single question for a password can be answered", questions)
	l.notes = append(l.notes, err.Error())
	return nil, err
}

// asksForPassword reports whether a keyboard-interactive question is for the user's password: it
// contains a word for a password, and no word for another input, such as a one-time password or a
// new password. Questions are in the language of the server's locale.
func asksForPassword(question string) bool {
	question = strings.ToLower(question)
	has := func(word string) bool { return strings.Contains(question, word) }
	return slices.ContainsFunc(passwordWords, has) && !slices.ContainsFunc(otherWords, has)
}

var (
	passwordWords = []string{
		"password", "passwort", "kennwort", "mot de passe", "contraseña", "contrasenya", "senha", "palavra-passe", "wachtwoord", "lösenord", "adgangskode",
		"passord", "salasana", "hasło", "heslo", "jelszó", "parola", "şifre", "κωδικός πρόσβασης", "пароль", "パスワード", "密码", "密碼", "口令", "암호", "비밀번호",
	}
	otherWords = []string{"one-time", "one time", "onetime", "otp", "oath", "token", "verification", "code:", "passcode", "new ", "retype", "again"}
)

// refusal returns the error for a rejected authentication, with the methods that were tried
// and advice.
func (l *login) refusal() error {
	var b strings.Builder
	accepted := strings.Join(l.accepted, ", ")
	if len(l.offered) == 0 {
		fmt.Fprintf(&b, "authentication of user %s failed: no credentials for the methods that the server accepts (%s)", l.user, accepted)
	} else {
		fmt.Fprintf(&b, "authentication of user %s failed: tried %s; the server accepts %s", l.user, strings.Join(summary(l.offered), ", "), accepted)
	}
	for _, note := range slices.Concat(l.ring.notes, l.notes) {
		b.WriteString("; " + note)
	}
	if len(l.offered) == 0 {
		b.WriteString(". Set private_key or password, or add a key to the SSH agent")
	} else {
		b.WriteString(". Check the user name and its keys or password. Each is tried once per run, so that the account is not locked")
	}
	return errors.New(b.String())
}

// summary returns the labels of the offered credentials, with the agent's keys as a count.
func summary(offered []string) []string {
	var short []string
	agents := 0
	for _, label := range offered {
		if label == agentLabel {
			agents++
		} else {
			short = append(short, label)
		}
	}
	switch agents {
	case 0:
		return short
	case 1:
		return append(short, "agent (1 key)")
	}
	return append(short, fmt.Sprintf("agent (%d keys)", agents))
}

// explain returns a permanent error if err is an error with which servers end a connection after
// failed authentication. Otherwise it returns err.
func (l *login) explain(err error) error {
	if errors.Is(err, ErrRefused) || len(l.offered) == 0 || !strings.Contains(err.Error(), "disconnect, reason ") {
		return err
	}
	if strings.Contains(err.Error(), "oo many authentication failures") {
		return refusedError{fmt.Errorf("authentication of user %s failed: tried %s; the server ended the connection after too many attempts "+
			"(MaxAuthTries). Set private_key to the key that the server accepts", l.user, strings.Join(summary(l.offered), ", "))}
	}
	return refusedError{fmt.Errorf("authentication of user %s failed: tried %s: %w", l.user, strings.Join(summary(l.offered), ", "), err)}
}

// recorded returns a signer that records the failures of signer. Without the record, a failure of the agent
// would look like a key that the server rejects.
func (l *login) recorded(signer ssh.Signer) ssh.Signer {
	algorithms, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return signer
	}
	r := &recorder{AlgorithmSigner: algorithms, login: l}
	if multi, ok := signer.(ssh.MultiAlgorithmSigner); ok {
		return &multiRecorder{r, multi.Algorithms()}
	}
	return r
}

type recorder struct {
	ssh.AlgorithmSigner
	login *login
}

// SignWithAlgorithm implements [ssh.AlgorithmSigner].
func (r *recorder) SignWithAlgorithm(random io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signature, err := r.AlgorithmSigner.SignWithAlgorithm(random, data, algorithm)
	if err != nil {
		r.login.notes = append(r.login.notes, fmt.Sprintf("signing with %s failed: %v", r.login.offered[len(r.login.offered)-1], err))
	}
	return signature, err
}

type multiRecorder struct {
	*recorder
	algorithms []string
}

// Algorithms implements [ssh.MultiAlgorithmSigner].
func (m *multiRecorder) Algorithms() []string { return m.algorithms }
