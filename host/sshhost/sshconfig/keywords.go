package sshconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// set applies a directive with a supported keyword, unless an earlier directive determines the setting.
func (e *evaluation) set(l *line) error {
	take := keywords[l.keyword]
	if take == nil {
		return nil
	}
	if l.err != nil {
		return l.err
	}
	// ssh does not split the text of ProxyJump and ProxyCommand into arguments.
	if len(l.words) == 0 || slices.Contains(l.words, "") && l.keyword != "proxyjump" && l.keyword != "proxycommand" {
		return l.fail(l.keyword + " has an empty argument")
	}
	_, decided := e.is.where[l.keyword]
	if decided && !repeatable[l.keyword] {
		return nil
	}
	decides, err := take(e, l)
	if err == nil && decides && !decided {
		e.is.where[l.keyword] = l.at
	}
	return err
}

// repeatable lists the keywords whose values accumulate.
var repeatable = map[string]bool{"identityfile": true, "certificatefile": true}

// applier applies the value of a directive. decides reports whether later directives with
// the same keyword are ignored, unless the keyword is repeatable.
type applier func(e *evaluation, l *line) (decides bool, err error)

var keywords = map[string]applier{
	"hostname":      text(func(s *Settings) *string { return &s.HostName }),
	"user":          takeUser,
	"port":          takePort,
	"hostkeyalias":  text(func(s *Settings) *string { return &s.HostKeyAlias }),
	"identityagent": text(func(s *Settings) *string { return &s.IdentityAgent }),

	"identityfile":    files(func(s *Settings) *[]string { return &s.IdentityFiles }),
	"certificatefile": files(func(s *Settings) *[]string { return &s.CertificateFiles }),
	"identitiesonly":  takeIdentitiesOnly,

	"userknownhostsfile":    knownHosts(func(s *Settings) *[]string { return &s.UserKnownHostsFiles }),
	"globalknownhostsfile":  knownHosts(func(s *Settings) *[]string { return &s.GlobalKnownHostsFiles }),
	"hostkeyalgorithms":     takeAlgorithms,
	"stricthostkeychecking": takeStrictness,

	"serveraliveinterval": duration(func(s *Settings) *time.Duration { return &s.ServerAliveInterval }),
	"connecttimeout":      duration(func(s *Settings) *time.Duration { return &s.ConnectTimeout }),
	"serveralivecountmax": takeCount,

	"proxyjump":      takeProxyJump,
	"proxycommand":   takeProxyCommand,
	"proxyusefdpass": refuse("a ProxyCommand could not pass a descriptor. Use one whose standard input and output are the connection", "no", "false"),

	"canonicalizehostname": refuse("ssh would connect to a name other than the given one. Use the complete host name", "no", "false"),
	"revokedhostkeys":      refuse("revoked keys would be trusted. Set the trusted keys with host_key instead", "none"),
}

// one returns the only argument of a directive.
func (l *line) one() (string, error) {
	if len(l.words) > 1 {
		return "", l.fail(l.keyword + " takes one argument")
	}
	return l.words[0], nil
}

func text(of func(*Settings) *string) applier {
	return func(e *evaluation, l *line) (bool, error) {
		word, err := l.one()
		*of(&e.is) = word
		return true, err
	}
}

// files returns an applier that collects the paths of several directives, each path once.
func files(of func(*Settings) *[]string) applier {
	return func(e *evaluation, l *line) (bool, error) {
		word, err := l.one()
		if list := of(&e.is); !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
		return true, err
	}
}

const none = "none"

func knownHosts(of func(*Settings) *[]string) applier {
	return func(e *evaluation, l *line) (bool, error) {
		if len(l.words) > 1 && slices.ContainsFunc(l.words, func(w string) bool { return strings.EqualFold(w, none) }) {
			return false, l.fail(l.keyword + ": none cannot be combined with paths")
		}
		*of(&e.is) = slices.Clone(l.words)
		return true, nil
	}
}

func takeUser(e *evaluation, l *line) (bool, error) {
	word, err := l.one()
	if err == nil && strings.Contains(word, "%") {
		err = l.fail("tokens in User are not supported, because versions of ssh interpret them differently")
	}
	e.is.User = word
	return true, err
}

func takePort(e *evaluation, l *line) (bool, error) {
	word, err := l.one()
	if err != nil {
		return false, err
	}
	port, err := strconv.ParseUint(word, 10, 16)
	if err != nil || port == 0 {
		return false, l.fail(fmt.Sprintf("port %q is not a number from 1 to 65535", word))
	}
	e.is.Port = int(port)
	return true, nil
}

func takeIdentitiesOnly(e *evaluation, l *line) (bool, error) {
	word, err := l.one()
	if err != nil {
		return false, err
	}
	switch strings.ToLower(word) {
	case "yes", "true":
		e.is.IdentitiesOnly = true
	case "no", "false":
	default:
		return false, l.fail("IdentitiesOnly must be yes or no")
	}
	return true, nil
}

func takeStrictness(e *evaluation, l *line) (bool, error) {
	word, err := l.one()
	if err != nil {
		return false, err
	}
	switch word = strings.ToLower(word); word {
	case "yes", "true":
		e.is.StrictHostKeyChecking = StrictYes
	case "no", "false", "off":
		e.is.StrictHostKeyChecking = StrictOff
	case "ask", "accept-new":
		e.is.StrictHostKeyChecking = Strictness(word)
	default:
		return false, l.fail("StrictHostKeyChecking must be yes, no, ask or accept-new")
	}
	return true, nil
}

func takeAlgorithms(e *evaluation, l *line) (bool, error) {
	word, err := l.one()
	e.is.HostKeyAlgorithms = strings.Split(word, ",")
	return true, err
}

func takeCount(e *evaluation, l *line) (bool, error) {
	word, err := l.one()
	if err != nil {
		return false, err
	}
	count, err := strconv.ParseUint(word, 10, 31)
	if err != nil {
		return false, l.fail("ServerAliveCountMax must be a number")
	}
	e.is.ServerAliveCountMax = int(count)
	return true, nil
}

func duration(of func(*Settings) *time.Duration) applier {
	return func(e *evaluation, l *line) (bool, error) {
		word, err := l.one()
		if err != nil || word == none { // as if the directive were missing
			return false, err
		}
		d, ok := parseTime(word)
		if !ok {
			return false, l.fail(l.keyword + " must be a time such as 90 or 1m30s")
		}
		*of(&e.is) = d
		return true, nil
	}
}

// parseTime parses a duration with units, such as 1h30m; numbers without a unit are
// seconds.
func parseTime(text string) (time.Duration, bool) {
	const limit = 1<<31 - 1 // seconds; the maximum of ssh
	var seconds int64
	for rest := text; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.ParseInt(rest[:digits], 10, 32)
		if err != nil {
			return 0, false
		}
		unit := int64(1)
		if rest = rest[digits:]; rest != "" {
			if unit = timeUnits[rest[0]|0x20]; unit == 0 {
				return 0, false
			}
			rest = rest[1:]
		}
		if seconds += n * unit; seconds > limit {
			return 0, false
		}
	}
	return time.Duration(seconds) * time.Second, text != ""
}

// timeUnits maps units to seconds.
var timeUnits = map[byte]int64{'s': 1, 'm': 60, 'h': 60 * 60, 'd': 24 * 60 * 60, 'w': 7 * 24 * 60 * 60}

// takeProxyJump stores the destinations of the jump hosts, without ssh://. Only the first of ProxyJump and ProxyCommand
// is used, except that a ProxyCommand after "ProxyJump none" is used too.
func takeProxyJump(e *evaluation, l *line) (bool, error) {
	if strings.ContainsAny(l.rest, "\"'\\") {
		return false, l.fail("ProxyJump does not support quotes")
	}
	word, err := l.one()
	switch {
	case err != nil:
		return false, err
	case strings.ContainsAny(word, "%$#"):
		return false, l.fail("tokens and # in ProxyJump are not supported, because versions of ssh interpret them differently")
	}
	hops := strings.Split(word, ",")
	for i := range hops {
		if hops[i] = strings.TrimPrefix(hops[i], "ssh://"); hops[i] == "" {
			return false, l.fail("a destination of ProxyJump is empty")
		}
	}
	if _, decided := e.is.where["proxycommand"]; decided {
		return false, nil
	}
	if strings.EqualFold(word, none) {
		hops = []string{}
	}
	e.is.ProxyJump = hops
	return true, nil
}

// takeProxyCommand stores the text of the command, unless ProxyJump or the query excludes it. The file
// must be one that other users cannot write: otherwise, they could run programs as this user.
func takeProxyCommand(e *evaluation, l *line) (bool, error) {
	switch {
	case e.query.NoProxyCommand:
		return true, nil
	case len(e.is.ProxyJump) > 0:
		return false, nil
	case strings.EqualFold(l.rest, none):
		if e.is.ProxyJump == nil {
			e.is.ProxyJump = []string{}
		}
		return true, nil
	case l.unguarded:
		return false, l.fail("ProxyCommand is not run, because the file is writable by other users, or belongs to another user: " +
			"users who can write it could run programs as you. Change its owner and mode (chmod go-w)")
	}
	e.is.ProxyCommand = l.rest
	return true, nil
}

// refuse returns an applier that rejects all values but those without an effect.
func refuse(because string, except ...string) applier {
	return func(_ *evaluation, l *line) (bool, error) {
		word, err := l.one()
		if err != nil || slices.Contains(except, strings.ToLower(word)) {
			return true, err
		}
		return false, l.fail(l.keyword + " is not supported: " + because)
	}
}
