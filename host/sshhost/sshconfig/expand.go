package sshconfig

import (
	"cmp"
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tokens maps the letters of percent tokens to values.
type tokens map[byte]string

// expandAll sets the final host name, and expands the tokens in the paths of keys, certificates and
// known hosts, in IdentityAgent, and in ProxyCommand.
func (e *evaluation) expandAll(name string) error {
	s := &e.is
	s.HostName = name
	port := cmp.Or(e.query.Port, s.Port, 22)
	env := &e.config.env
	short, _, _ := strings.Cut(env.HostName, ".")
	key := cmp.Or(s.HostKeyAlias, e.query.Host)
	t := tokens{
		'd': env.Home, 'h': name, 'i': env.UID, 'j': strings.Join(s.ProxyJump, ","), 'k': key, 'L': short, 'l': env.HostName,
		'n': e.query.Host, 'p': strconv.Itoa(port), 'r': e.user(), 'u': env.User,
	}
	var errs []error
	paths := func(keyword string, list *[]string) {
		errs = append(errs, e.expandPaths(keyword, list, t))
	}
	paths("identityfile", &s.IdentityFiles)
	paths("certificatefile", &s.CertificateFiles)
	paths("userknownhostsfile", &s.UserKnownHostsFiles)
	paths("globalknownhostsfile", &s.GlobalKnownHostsFiles)
	errs = append(errs, e.expandAgent(t), e.expandProxyCommand(t))
	return errors.Join(errs...)
}

// shellSafe matches token values without characters that a shell interprets, and without a leading dash.
// Values from the query come from the attributes of resources, and must not run programs.
var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_.:@%+,/][A-Za-z0-9_.:@%+,/-]*$`)

// expandProxyCommand expands the tokens that ssh allows in ProxyCommand.
func (e *evaluation) expandProxyCommand(t tokens) error {
	command := e.is.ProxyCommand
	if command == "" {
		return nil
	}
	fail := func(problem string) error {
		return &Error{At: e.is.where["proxycommand"], Problem: "ProxyCommand: " + problem}
	}
	allowed := tokens{}
	text := strings.ReplaceAll(command, "%%", "")
	for _, token := range []byte("hnpr") {
		if strings.Contains(text, "%"+string(token)) && !shellSafe.MatchString(t[token]) {
			return fail(fmt.Sprintf("the value %q of %%%c has characters that a shell may interpret: only letters, digits and _ . : @ %% + , / - are allowed, "+
				"and no dash at the beginning", t[token], token))
		}
		allowed[token] = t[token]
	}
	expanded, err := e.config.env.expand(command, allowed, false)
	if err != nil {
		return fail(err.Error())
	}
	e.is.ProxyCommand = expanded
	return nil
}

// expandPaths expands a list of paths and removes "none". Like ssh, it expands nothing in
// GlobalKnownHostsFile.
func (e *evaluation) expandPaths(keyword string, list *[]string, t tokens) error {
	if *list == nil {
		return nil
	}
	*list = slices.DeleteFunc(*list, func(path string) bool { return strings.EqualFold(path, none) })
	if keyword == "globalknownhostsfile" {
		return nil
	}
	for i, path := range *list {
		expanded, err := e.config.env.path(path, t)
		if err != nil {
			return &Error{At: e.is.where[keyword], Problem: keyword + ": " + err.Error()}
		}
		(*list)[i] = expanded
	}
	return nil
}

func (e *evaluation) expandAgent(t tokens) error {
	agent := e.is.IdentityAgent
	var err error
	switch name, variable := strings.CutPrefix(agent, "$"); {
	case agent == "":
	case strings.EqualFold(agent, none):
		agent = NoAgent
	case agent == "SSH_AUTH_SOCK":
		agent = ""
	case variable && !strings.HasPrefix(name, "{"):
		if agent, _ = e.config.env.Getenv(name); agent == "" {
			agent = NoAgent
		}
	default:
		agent, err = e.config.env.path(agent, t)
	}
	if err != nil {
		return &Error{At: e.is.where["identityagent"], Problem: "identityagent: " + err.Error()}
	}
	e.is.IdentityAgent = agent
	return nil
}

// path expands ~, tokens and variables in a path.
func (env *Env) path(path string, t tokens) (string, error) {
	path, err := env.tilde(path)
	if err != nil {
		return "", err
	}
	return env.expand(path, t, true)
}

// tilde replaces a leading ~ or ~name with the home directory.
func (env *Env) tilde(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok {
		return path, nil
	}
	name, below, _ := strings.Cut(rest, "/")
	home := env.Home
	if name != "" {
		found, err := user.Lookup(name)
		if err != nil {
			return "", fmt.Errorf("cannot determine the home directory of %s: %w", name, err)
		}
		home = found.HomeDir
	}
	return filepath.Join(home, below), nil
}

// expand replaces percent tokens and, if variables is set, ${NAME}.
func (env *Env) expand(text string, t tokens, variables bool) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '%':
			i++
			if i == len(text) {
				return "", errors.New("% must be followed by a letter")
			}
			value, ok := t[text[i]]
			switch {
			case text[i] == '%':
				value = "%"
			case !ok:
				return "", fmt.Errorf("the token %%%c is not supported", text[i])
			}
			b.WriteString(value)
		case variables && strings.HasPrefix(text[i:], "${"):
			name, _, ok := strings.Cut(text[i+2:], "}")
			if !ok || name == "" {
				return "", errors.New("${ must be followed by a name and }")
			}
			value, ok := env.Getenv(name)
			if !ok {
				return "", fmt.Errorf("the environment variable %s is not set", name)
			}
			b.WriteString(value)
			i += len(name) + 2
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String(), nil
}
