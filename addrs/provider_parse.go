package addrs

import (
	"fmt"
	"strings"
)

// The hosts of provider addresses that do not say one.
const (
	TerraformRegistry = "registry.terraform.io"
	OpenTofuRegistry  = "registry.opentofu.org"
)

// BuiltIn is the provider that is part of the engine, of the resource
// terraform_data.
var BuiltIn = Provider{Hostname: "terraform.io", Namespace: "builtin", Type: "terraform"}

// DefaultProvider is the provider that a local name without a source stands for.
func DefaultProvider(host, typeName string) Provider {
	if typeName == BuiltIn.Type {
		return BuiltIn
	}
	return Provider{Hostname: host, Namespace: "hashicorp", Type: typeName}
}

// ParseProviderSourceString reads what required_providers has as a source:
// "type", "namespace/type" or "host/namespace/type". The host is where a source
// without one is from. With the host in it, it is the inverse of
// [Provider.String].
func ParseProviderSourceString(source, host string) (Provider, error) {
	parts := strings.Split(source, "/")
	if len(parts) > 3 {
		return Provider{}, sourceError(source, "it has more than three parts")
	}
	for i, part := range parts {
		if len(parts) == 3 && i == 0 {
			part = strings.TrimSuffix(strings.ToLower(part), ".")
			if !hostname(part) {
				return Provider{}, sourceError(source, quote(part)+" is not the name of a host")
			}
			parts[i] = part
			continue
		}
		if parts[i] = strings.ToLower(part); !providerPart(parts[i]) {
			return Provider{}, sourceError(source, quote(part)+" is not made of letters, digits and single dashes between them")
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
		return Provider{}, sourceError(source, "a provider is called without the prefix of its program, "+quote("terraform-provider-"))
	}
	return p, nil
}

func sourceError(source, problem string) error {
	return fmt.Errorf("%s is not the source of a provider, which is \"namespace/type\" or \"host/namespace/type\": %s", quote(source), problem)
}

// providerPart reports whether a part of an address can be one. The namespace
// "-" is that of states older than namespaces.
func providerPart(part string) bool {
	if part == "-" {
		return true
	}
	return label(part) && !strings.Contains(part, "--")
}

// hostname reports whether a lower-case text is a name with a dot in it, or
// localhost, and perhaps a port.
func hostname(text string) bool {
	name, port, hasPort := strings.Cut(text, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	if name != "localhost" && !strings.Contains(name, ".") {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if !label(part) {
			return false
		}
	}
	return true
}

// label reports whether text is letters and digits with dashes between them.
func label(text string) bool {
	if text == "" || strings.Trim(text, "-") != text {
		return false
	}
	for _, r := range text {
		if r == '_' || !identifierRune(r, false) {
			return false
		}
	}
	return true
}

// ParseAbsProviderConfigStr is the inverse of [AbsProviderConfig.String].
func ParseAbsProviderConfigStr(text string) (AbsProviderConfig, error) {
	s := scan("the address of a provider configuration", text)
	config := s.providerConfig()
	if err := s.end(); err != nil {
		return AbsProviderConfig{}, err
	}
	return config, nil
}

// ParseAbsProviderInstanceStr reads the address of one instance of a provider
// configuration that has for_each: that of the configuration, and a key.
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
	if name := s.name("the word provider"); name != "provider" && s.err == nil {
		s.pos -= len(name)
		s.fail(`"provider" is expected`)
	}
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
			s.fail("the provider's address needs its host: \"host/namespace/type\"")
		}
		c.Provider = p
	}
	if s.take('.') {
		c.Alias = s.name("an alias")
	}
	return c
}
