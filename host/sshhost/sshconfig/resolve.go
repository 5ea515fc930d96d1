package sshconfig

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// evaluation is the state of evaluating the files for one host.
type evaluation struct {
	config *Config
	query  Query
	is     Settings

	// Some files request a second pass, which keeps the settings of the first and uses the
	// final host name.
	final, wantsFinal bool
	realName          string
}

// Resolve returns the settings of a host. Errors about directives are, or wrap, an [*Error].
func (c *Config) Resolve(q Query) (*Settings, error) {
	e := &evaluation{config: c, query: q}
	e.is.ServerAliveInterval, e.is.ServerAliveCountMax, e.is.ConnectTimeout = -1, -1, -1
	e.is.where = make(map[string]Position)
	if err := e.pass(); err != nil {
		return nil, err
	}
	name, err := e.hostName()
	if err != nil {
		return nil, err
	}
	if e.wantsFinal {
		e.final, e.realName = true, strings.ToLower(name)
		if err := e.pass(); err != nil {
			return nil, err
		}
	}
	if err := e.expandAll(strings.ToLower(name)); err != nil {
		return nil, err
	}
	return &e.is, nil
}

func (e *evaluation) pass() error {
	for _, f := range e.config.files {
		if err := e.file(f, true, 0); err != nil {
			return err
		}
	}
	return nil
}

// maxDepth is ssh's limit for nested includes.
const maxDepth = 16

// file evaluates a file. active reports whether directives before the first Host or Match
// apply.
func (e *evaluation) file(s source, active bool, depth int) error {
	lines, err := e.config.read(s)
	if err != nil {
		return err
	}
	for i := range lines {
		l := &lines[i]
		switch {
		case l.keyword == "host" || l.keyword == "match":
			var listed bool
			decide := e.matchHost
			if l.keyword == "match" {
				decide = e.matchCriteria
			}
			if active, listed, err = decide(l); err != nil {
				return err
			}
			e.is.Listed = e.is.Listed || listed
		case !active:
		case l.keyword == "include":
			if err := e.include(l, s, depth); err != nil {
				return err
			}
		default:
			if err := e.set(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// include evaluates the files that an Include names. A Host or Match block in one of them ends with the file.
func (e *evaluation) include(l *line, from source, depth int) error {
	if l.err != nil {
		return l.err
	}
	if depth == maxDepth {
		return l.fail("Include is nested too deeply")
	}
	for _, pattern := range l.words {
		if pattern == "" || strings.ContainsAny(pattern, "%$") {
			return l.fail("Include requires paths; variables and tokens in them are not supported")
		}
		path, err := e.config.env.tilde(pattern)
		if err != nil {
			return l.fail(err.Error())
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(from.dir, path)
		}
		found, err := filepath.Glob(path)
		if err != nil {
			return l.fail("Include: " + err.Error())
		}
		slices.Sort(found)
		for _, name := range found {
			err := e.file(source{path: name, dir: from.dir, guarded: true}, true, depth+1)
			if positioned, ok := errors.AsType[*Error](err); ok {
				return positioned
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return l.fail(err.Error())
			}
		}
	}
	return nil
}

// user returns the user name of the query, of the directives so far, or of the local user, in this order.
func (e *evaluation) user() string {
	return cmp.Or(e.query.User, e.is.User, e.config.env.User)
}

// hostName returns the host to connect to, according to the directives so far or, in the second pass, to those
// of the first.
func (e *evaluation) hostName() (string, error) {
	switch {
	case e.final:
		return e.realName, nil
	case e.is.HostName == "":
		return e.query.Host, nil
	}
	name, err := e.config.env.expand(e.is.HostName, tokens{'h': e.query.Host}, false)
	if err != nil {
		return "", &Error{At: e.is.where["hostname"], Problem: "HostName: " + err.Error()}
	}
	return name, nil
}
