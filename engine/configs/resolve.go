package configs

import "github.com/posixform/terraform-provider-posix/addrs"

// ProviderFor is the provider that a local name means in the module.
func (c *Config) ProviderFor(localName string) addrs.Provider {
	if p, ok := c.Module.RequiredProviders[localName]; ok {
		return p
	}
	return c.Module.opts.ImpliedProvider(localName)
}

// ResolveProvider is the provider configuration that ref means in the module:
// that of a block in it, or one that callers pass, in a map or, for a default
// configuration, without saying so. The root has a default configuration of
// every provider, empty where there is no block. False is an alias that neither
// the module nor its callers have.
func (c *Config) ResolveProvider(ref addrs.LocalProviderConfig) (addrs.AbsProviderConfig, bool) {
	return c.resolveProvider(c.ProviderFor(ref.LocalName), ref.Alias)
}

// resolveProvider goes by the provider, since each module has names of its own.
func (c *Config) resolveProvider(provider addrs.Provider, alias string) (addrs.AbsProviderConfig, bool) {
	found := addrs.AbsProviderConfig{Module: c.Path, Provider: provider, Alias: alias}
	block := c.providerBlock(provider, alias)
	if c.Parent == nil {
		return found, block != nil || alias == ""
	}
	if block == nil || block.empty {
		if passed, ok := c.passed(provider, alias); ok {
			return c.Parent.ResolveProvider(passed)
		}
	}
	switch {
	case block != nil:
		return found, true
	case alias != "":
		return found, false
	default:
		return c.Parent.resolveProvider(provider, "")
	}
}

// call is the module block that c is called by, and nil for the root.
func (c *Config) call() *ModuleCall {
	if c.Parent == nil {
		return nil
	}
	return c.Parent.Module.ModuleCalls[c.Path[len(c.Path)-1]]
}

// passed is the caller's configuration for one of c.
func (c *Config) passed(provider addrs.Provider, alias string) (addrs.LocalProviderConfig, bool) {
	for inChild, inParent := range c.call().Providers {
		if inChild.Alias == alias && c.ProviderFor(inChild.LocalName) == provider {
			return inParent, true
		}
	}
	return addrs.LocalProviderConfig{}, false
}

// ProviderBlock is the block of a configuration that ResolveProvider gave, or
// nil for the root's empty one. Any module of the tree can be asked.
func (c *Config) ProviderBlock(addr addrs.AbsProviderConfig) *ProviderConfig {
	for c.Parent != nil {
		c = c.Parent
	}
	if c = c.Descendant(addr.Module); c == nil {
		return nil
	}
	return c.providerBlock(addr.Provider, addr.Alias)
}

func (c *Config) providerBlock(provider addrs.Provider, alias string) *ProviderConfig {
	for _, p := range c.Module.ProviderConfigs {
		if p.Alias == alias && c.ProviderFor(p.Name) == provider {
			return p
		}
	}
	return nil
}
