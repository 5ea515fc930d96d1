package hosts

import (
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// layer has the settings of a host or of the provider, and the prefix of the environment
// variables for them.
type layer struct {
	Settings
	path string // path of the host in the provider's configuration with a trailing dot; empty for the provider
	env  string // prefix of the environment variables
}

// lookup finds the settings of one host in layers, most specific first. It collects the
// attributes whose values are unknown. Like a known value, an unknown value ends the
// search.
type lookup struct {
	layers  []layer
	getenv  func(name string) (string, bool)
	unknown []string
	errs    []error
}

func (c *lookup) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// getValue returns a value of a layer. decided is whether the search ends with this layer,
// and known whether there is a value.
func getValue[T any](c *lookup, path string, v runtime.Value[T]) (value T, decided, known bool) {
	if v.IsUnknown() {
		c.unknown = append(c.unknown, path)
		return value, true, false
	}
	value, known = v.Get()
	return value, known, known
}

// findValue returns the value of the first layer that sets it, and whether there is a known value.
func findValue[T any](c *lookup, name string, of func(*Settings) runtime.Value[T]) (value T, known bool) {
	for i := range c.layers {
		l := &c.layers[i]
		if value, decided, known := getValue(c, l.path+name, of(&l.Settings)); decided {
			return value, known
		}
	}
	return value, false
}

// list returns the list of the first layer that sets it, or nil.
func (c *lookup) list(name string, of func(*Settings) texts) []string {
	for i := range c.layers {
		l := &c.layers[i]
		if list, decided := c.elements(l.path+name, of(&l.Settings)); decided {
			return list
		}
	}
	return nil
}

// elements returns the known elements of a list, and whether the layer sets the list.
func (c *lookup) elements(path string, v texts) (list []string, decided bool) {
	values, decided, known := getValue(c, path, v)
	if !known {
		return nil, decided
	}
	list = []string{}
	for i, v := range values {
		element := fmt.Sprintf("%s[%d]", path, i)
		switch x, decided, known := getValue(c, element, v); {
		case known:
			list = append(list, x)
		case !decided:
			c.fail("%s is null. Set a value, or leave it out", element)
		}
	}
	return list, true
}

// variable returns the environment variable of a layer, and whether it is set and not empty.
func (c *lookup) variable(l *layer, suffix string) (string, bool) {
	value, _ := c.getenv(l.env + suffix)
	return value, value != ""
}

// secret returns a value that can be set in the configuration or the environment, or nil. In
// each layer, the configuration takes precedence.
func (c *lookup) secret(name, suffix string, of func(*Settings) text) *sshhost.Secret {
	for i := range c.layers {
		l := &c.layers[i]
		value, decided, known := getValue(c, l.path+name, of(&l.Settings))
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

// textOrPath returns a value that can be set as text or as the path of a file, from the
// first layer that sets one of them. textOrPath also reads environment variables if suffix is
// not empty.
func (c *lookup) textOrPath(name, suffix string, textOf, pathOf func(*Settings) text) (content, path string, given bool) {
	for i := range c.layers {
		l := &c.layers[i]
		content, one, known := getValue(c, l.path+name, textOf(&l.Settings))
		path, other, knownPath := getValue(c, l.path+name+"_path", pathOf(&l.Settings))
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

// agent returns the path of the agent's socket if that is set, whether to use an agent, and whether
// any layer sets agent or agent_socket. A socket turns the agent on, unless agent is false in the same or
// a more specific layer.
func (c *lookup) agent() (socket string, wanted, isSet bool) {
	for i := range c.layers {
		l := &c.layers[i]
		if !isSet {
			on, decided, known := getValue(c, l.path+"agent", l.Agent)
			if known && !on {
				return "", false, true
			}
			isSet = decided
		}
		if socket, named, _ := getValue(c, l.path+"agent_socket", l.AgentSocket); named {
			return socket, true, true
		}
	}
	return "", isSet, isSet
}

// variableName returns the name of a host in the names of environment variables.
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
