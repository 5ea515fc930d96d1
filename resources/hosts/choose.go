package hosts

import (
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// layer is one place in which settings of a host can be, with the environment
// variables that go with it.
type layer struct {
	Settings
	path string // of the object in the provider's configuration, with a dot behind it
	env  string // what its variables begin with
}

// chooser takes the settings of one host out of the layers, the nearest first.
// What is not known yet is noted, and nobody looks behind it.
type chooser struct {
	layers  []layer
	getenv  func(name string) (string, bool)
	unknown []string
	errs    []error
}

func (c *chooser) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// look is one value of a layer: known, or to be looked for further on.
func look[T any](c *chooser, path string, v runtime.Value[T]) (value T, decided, known bool) {
	if v.IsUnknown() {
		c.unknown = append(c.unknown, path)
		return value, true, false
	}
	value, known = v.Get()
	return value, known, known
}

// choose is the value of the nearest layer that has one.
func choose[T any](c *chooser, name string, of func(*Settings) runtime.Value[T]) (value T, known bool) {
	for i := range c.layers {
		l := &c.layers[i]
		if value, decided, known := look(c, l.path+name, of(&l.Settings)); decided {
			return value, known
		}
	}
	return value, false
}

// list is the same for lists; nil is none, and not an empty one.
func (c *chooser) list(name string, of func(*Settings) texts) []string {
	for i := range c.layers {
		l := &c.layers[i]
		if list, decided := c.elements(l.path+name, of(&l.Settings)); decided {
			return list
		}
	}
	return nil
}

// elements are those of a list.
func (c *chooser) elements(path string, v texts) (list []string, decided bool) {
	values, decided, known := look(c, path, v)
	if !known {
		return nil, decided
	}
	list = []string{}
	for i, v := range values {
		element := fmt.Sprintf("%s[%d]", path, i)
		switch x, decided, known := look(c, element, v); {
		case known:
			list = append(list, x)
		case !decided:
			c.fail("%s is null", element)
		}
	}
	return list, true
}

// variable is the environment variable of a layer. One that is empty is as if it
// were not set, as a shell cannot easily tell the two apart.
func (c *chooser) variable(l *layer, suffix string) (string, bool) {
	value, _ := c.getenv(l.env + suffix)
	return value, value != ""
}

// secret is a value that may also be in the environment, where the configuration
// of the same layer has none.
func (c *chooser) secret(name, suffix string, of func(*Settings) text) *sshhost.Secret {
	for i := range c.layers {
		l := &c.layers[i]
		value, decided, known := look(c, l.path+name, of(&l.Settings))
		if !decided {
			value, known = c.variable(l, suffix)
		}
		switch {
		case known:
			return new(sshhost.Secret(value))
		case decided:
			return nil
		}
	}
	return nil
}

// eitherOr is a value that is given as text or by the path of its file: those of
// the nearest layer that has one of the two. Variables are looked at where their
// suffix is not empty.
func (c *chooser) eitherOr(name, suffix string, textOf, pathOf func(*Settings) text) (content, path string, given bool) {
	for i := range c.layers {
		l := &c.layers[i]
		content, one, known := look(c, l.path+name, textOf(&l.Settings))
		path, other, knownPath := look(c, l.path+name+"_path", pathOf(&l.Settings))
		if !one && !other && suffix != "" {
			content, known = c.variable(l, suffix)
			path, knownPath = c.variable(l, suffix+"_PATH")
			if one, other = known, knownPath; one && other {
				c.fail("the environment variables %s and %s_PATH are both set. Unset one of them", l.env+suffix, l.env+suffix)
			}
		}
		switch {
		case known && knownPath:
			c.fail("%s%s and %s_path are both set. Remove one of them", l.path, name, name)
			return "", "", true
		case one || other:
			return content, path, true
		}
	}
	return "", "", false
}

// agent says which agent is wanted: its socket if one is named, and whether it is
// said at all.
func (c *chooser) agent() (socket string, wanted, said bool) {
	for i := range c.layers {
		l := &c.layers[i]
		on, decided, known := look(c, l.path+"agent", l.Agent)
		if known && !on {
			return "", false, true
		}
		socket, named, _ := look(c, l.path+"agent_socket", l.AgentSocket)
		if decided || named {
			return socket, true, true
		}
	}
	return "", false, false
}

// variableName is the part of an environment variable that stands for a host.
func variableName(host string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		default:
			return '_'
		}
	}, host)
}
