package addrs

import (
	"fmt"
	"slices"
	"strings"
)

// Provider is the source address of a provider. It is comparable.
type Provider struct {
	Hostname, Namespace, Type string
}

// String returns the address with its host, as states store it.
func (p Provider) String() string { return p.Hostname + "/" + p.Namespace + "/" + p.Type }

// IsZero reports whether p is the zero value.
func (p Provider) IsZero() bool { return p == Provider{} }

// LocalProviderConfig is a provider configuration by its local name in a module. It is
// comparable.
type LocalProviderConfig struct {
	LocalName, Alias string
}

// String returns "name" or "name.alias".
func (c LocalProviderConfig) String() string {
	if c.Alias == "" {
		return c.LocalName
	}
	return c.LocalName + "." + c.Alias
}

// AbsProviderConfig is a provider configuration with its module.
type AbsProviderConfig struct {
	Module   Module
	Provider Provider
	Alias    string
}

// String returns the address as states store it:
// `module.a.provider["host/ns/type"].alias`.
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

// Equal reports whether c and other are the same configuration.
func (c AbsProviderConfig) Equal(other AbsProviderConfig) bool {
	return c.Provider == other.Provider && c.Alias == other.Alias && slices.Equal(c.Module, other.Module)
}

// Default hosts of provider sources.
const (
	TerraformRegistry = "registry.terraform.io"
	OpenTofuRegistry  = "registry.opentofu.org"
)

// BuiltIn is the built-in provider, which has the resource type terraform_data.
var BuiltIn = Provider{Hostname: "terraform.io", Namespace: "builtin", Type: "terraform"}

// ParseProviderSourceString parses a source: "type", "namespace/type" or
// "host/namespace/type". host is the default host. For sources with a host, the
// function is the inverse of [Provider.String]. An invalid source is an error.
func ParseProviderSourceString(source, host string) (Provider, error) {
	parts := strings.Split(source, "/")
	if len(parts) > 3 {
		return Provider{}, sourceError(source, "a source must not have more than three parts")
	}
	for i, part := range parts {
		if len(parts) == 3 && i == 0 {
			part = strings.TrimSuffix(strings.ToLower(part), ".")
			if !hostname(part) {
				return Provider{}, sourceError(source, quote(part)+" is not a host name")
			}
			parts[i] = part
			continue
		}
		if parts[i] = strings.ToLower(part); !providerPart(parts[i]) {
			return Provider{}, sourceError(source, quote(part)+" must consist of letters and digits with single dashes between them")
		}
	}
	p := Provider{Hostname: host, Namespace: "hashicorp", Type: parts[len(parts)-1]}
	switch len(parts) {
	case 3:
		p.Hostname, p.Namespace = parts[0], parts[1]
	case 2:
		p.Namespace = parts[0]
	}
	if strings.HasPrefix(p.Type, "terraform-") {
		return Provider{}, sourceError(source, "the type must not have the prefix "+quote("terraform-"))
	}
	return p, nil
}

func sourceError(source, problem string) error {
	return fmt.Errorf("%s is not the source of a provider, which is \"type\", \"namespace/type\" or \"host/namespace/type\": %s", quote(source), problem)
}

// providerPart reports whether part is valid in an address. States from before the
// introduction of namespaces have the namespace "-".
func providerPart(part string) bool {
	return part == "-" || label(part) && !strings.Contains(part, "--")
}

// hostname reports whether a lower-case text is a name with a dot, or localhost, with
// an optional port.
func hostname(text string) bool {
	name, port, hasPort := strings.Cut(text, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") || name != "localhost" && !strings.Contains(name, ".") {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if !label(part) {
			return false
		}
	}
	return true
}

// label reports whether text consists of letters and digits with dashes between them.
func label(text string) bool {
	other := func(r rune) bool { return r == '_' || !identifierRune(r, false) }
	return text != "" && strings.Trim(text, "-") == text && !strings.ContainsFunc(text, other)
}

// ParseAbsProviderConfigStr is the inverse of [AbsProviderConfig.String]. An error is a
// [ParseError].
func ParseAbsProviderConfigStr(text string) (AbsProviderConfig, error) {
	s := scan("the address of a provider configuration", text)
	config := s.providerConfig()
	if err := s.end(); err != nil {
		return AbsProviderConfig{}, err
	}
	return config, nil
}

// ParseLegacyAbsProviderConfigStr parses the address of a provider configuration as
// Terraform 0.12 wrote it, such as "module.m.provider.aws.west". Its provider has the
// namespace "-", because that version had no namespaces. An error is a [ParseError].
func ParseLegacyAbsProviderConfigStr(text string) (AbsProviderConfig, error) {
	s := scan("the address of a provider configuration", text)
	config := s.legacyProviderConfig()
	if err := s.end(); err != nil {
		return AbsProviderConfig{}, err
	}
	return config, nil
}

func (s *scanner) legacyProviderConfig() AbsProviderConfig {
	c := AbsProviderConfig{Module: s.staticModules()}
	s.providerWord()
	if !s.take('.') && s.err == nil {
		s.fail("a dot and the provider's type are expected")
	}
	c.Provider = Provider{Hostname: TerraformRegistry, Namespace: "-", Type: s.name("the provider's type")}
	if s.take('.') {
		c.Alias = s.name("an alias")
	}
	return c
}

func (s *scanner) providerWord() {
	if s.err != nil {
		return
	}
	if start := s.pos; s.name("provider") != "provider" {
		s.pos, s.err = start, nil // replaces the error of name
		s.fail(`"provider" is expected`)
	}
}

// ParseAbsProviderInstanceStr parses the address of an instance of a provider
// configuration: the configuration and a key, which is NoKey without for_each. An error is
// a [ParseError].
func ParseAbsProviderInstanceStr(text string) (AbsProviderConfig, InstanceKey, error) {
	s := scan("the address of an instance of a provider configuration", text)
	config, key := s.providerConfig(), s.key()
	if err := s.end(); err != nil {
		return AbsProviderConfig{}, NoKey, err
	}
	return config, key, nil
}

func (s *scanner) providerConfig() AbsProviderConfig {
	c := AbsProviderConfig{Module: s.staticModules()}
	s.providerWord()
	start := s.pos
	source, ok := s.key().(StringKey)
	if !ok && s.err == nil {
		s.pos = start
		s.fail("the provider's address is expected, in brackets and quotes")
	}
	if s.err == nil {
		p, err := ParseProviderSourceString(string(source), "")
		switch {
		case err != nil:
			s.pos = start
			s.fail(err.Error())
		case p.Hostname == "":
			s.pos = start
			s.fail("the provider's address must have a host: \"host/namespace/type\"")
		}
		c.Provider = p
	}
	if s.take('.') {
		c.Alias = s.name("an alias")
	}
	return c
}
