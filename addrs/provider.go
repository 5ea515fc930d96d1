package addrs

import "strings"

// Provider is the source address of a provider. It is comparable.
type Provider struct {
	Hostname, Namespace, Type string
}

// String is the address with its host, as states have it.
func (p Provider) String() string { return p.Hostname + "/" + p.Namespace + "/" + p.Type }

// IsZero reports whether p is no provider at all.
func (p Provider) IsZero() bool { return p == Provider{} }

// LocalProviderConfig is a provider configuration as a module calls it.
// It is comparable.
type LocalProviderConfig struct {
	LocalName, Alias string
}

// String is "name" or "name.alias".
func (c LocalProviderConfig) String() string {
	if c.Alias == "" {
		return c.LocalName
	}
	return c.LocalName + "." + c.Alias
}

// AbsProviderConfig is a provider configuration of the whole tree.
type AbsProviderConfig struct {
	Module   Module
	Provider Provider
	Alias    string
}

// String is the form that states have: `module.a.provider["host/ns/type"].alias`.
func (c AbsProviderConfig) String() string {
	var b strings.Builder
	b.WriteString(c.Module.prefix())
	b.WriteString("provider[")
	b.WriteString(quote(c.Provider.String()))
	b.WriteByte(']')
	if c.Alias != "" {
		b.WriteByte('.')
		b.WriteString(c.Alias)
	}
	return b.String()
}
