package conformance

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// configurer finds configurations that the provider's validation accepts.
type configurer struct {
	*generator
	validate func(config cty.Value) diag.Diagnostics
	// byFailure means that Options.Fail interrupts applies and destroys.
	byFailure bool
	// refused are the messages for the last refused configuration.
	refused diag.Diagnostics
	// broken is the error for the first law broken by validation, or nil, and brokenConfig
	// the configuration that was validated.
	broken       error
	brokenConfig cty.Value
}

const (
	// maxConfigs is the maximum number of configurations to try, and maxRepairs the maximum
	// number of repairs of each in response to messages of the provider.
	maxConfigs, maxRepairs = 12, 25
)

func (c *configurer) accepts(config cty.Value) bool {
	if !fits(c.body, config) {
		return false
	}
	messages := c.validate(config)
	if messages.HasErrors() {
		c.refused = messages
		return false
	}
	return true
}

// valid returns a configuration that the provider accepts, or false.
func (c *configurer) valid() (cty.Value, bool) {
	for range maxConfigs {
		config := c.config()
		for range maxRepairs {
			if c.accepts(config) {
				if c.oneIn(3) {
					config = c.varySpelling(config)
				}
				return config, true
			}
			config = c.fixed(c.repaired(config))
		}
	}
	return cty.NilVal, false
}

// varySpelling returns the valid configuration with a different spelling of one string, or the
// configuration itself if the provider accepts none of the spellings that were tried.
func (c *configurer) varySpelling(config cty.Value) cty.Value {
	texts := slices.DeleteFunc(settable(c.body, config), func(path cty.Path) bool {
		return valueAt(config, path).Type() != cty.String || c.Values[nameOf(path)] != nil
	})
	for range min(3, len(texts)) {
		path := texts[c.r.IntN(len(texts))]
		other, ok := replaced(config, path, cty.StringVal(c.spelling(valueAt(config, path).AsString())))
		if ok && c.accepts(other) {
			return other
		}
	}
	return config
}

// repaired returns the configuration with one change for each error. It collects words
// from the errors, which often contain the valid values.
func (c *configurer) repaired(config cty.Value) cty.Value {
	for _, m := range c.refused {
		if m.Severity != diag.Error {
			continue
		}
		if name := nameOf(m.Path); name != "" {
			c.collect(name, m.Summary+"\n"+m.Detail)
		}
		path := m.Path
		if others := c.mentioned(m); len(others) > 0 && c.oneIn(3) {
			path = cty.GetAttrPath(others[c.r.IntN(len(others))])
		}
		config = c.changed(config, path)
	}
	return config
}

// mentioned returns the attributes and blocks whose names are in a message: they may
// conflict with the attribute that the message is about.
func (c *configurer) mentioned(m diag.Diagnostic) []string {
	words := strings.FieldsFunc(m.Summary+" "+m.Detail, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(words, func(word string) bool {
		return c.body.Attributes[word] == nil && c.body.BlockTypes[word] == nil
	})
}

func (c *configurer) collect(name, text string) {
	for _, word := range hints(text) {
		if len(c.candidates[name]) < 20 && !slices.Contains(c.candidates[name], word) {
			c.candidates[name] = append(c.candidates[name], word)
		}
	}
}

// changed returns the configuration with a new value at path or at a path that encloses
// it. If path is empty, and sometimes otherwise, changed selects a random attribute or block.
func (c *configurer) changed(config cty.Value, path cty.Path) cty.Value {
	if len(path) == 0 || c.oneIn(8) {
		path = c.anywhere()
	}
	for n := len(path); n > 0; n-- {
		if to, ok := c.another(config, path[:n]); ok && (n == 1 || !c.oneIn(6)) {
			if v, ok := replaced(config, path[:n], to); ok {
				return v
			}
		}
	}
	return config
}

func (c *configurer) anywhere() cty.Path {
	names := slices.Sorted(maps.Keys(c.body.Attributes))
	names = slices.AppendSeq(names, maps.Keys(c.body.BlockTypes))
	slices.Sort(names)
	if len(names) == 0 {
		return nil
	}
	return cty.GetAttrPath(names[c.r.IntN(len(names))])
}

// another returns a value that may be valid for the attribute or top-level block at path. It
// returns false if there is no such attribute or block, or if configurations must not set it.
func (c *configurer) another(config cty.Value, path cty.Path) (cty.Value, bool) {
	step, ok := path[len(path)-1].(cty.GetAttrStep)
	if !ok {
		return cty.NilVal, false
	}
	name := nameOf(path)
	if slices.Contains(c.Leave, name) {
		return cty.NilVal, false
	}
	inside := slices.ContainsFunc(path, func(s cty.PathStep) bool { _, index := s.(cty.IndexStep); return index })
	where := &location{name: name, inside: inside}
	if attr := attributeAt(c.body, path); attr != nil {
		return c.anotherValue(attr, where, valueAt(config, path))
	}
	if nested := c.body.BlockTypes[step.Name]; nested != nil && len(path) == 1 {
		if c.oneIn(2) && nested.MinItems == 0 {
			return nested.EmptyValue(), true
		}
		return c.nestedBlock(nested, where), true
	}
	return cty.NilVal, false
}

func (c *configurer) anotherValue(attr *configschema.Attribute, where *location, was cty.Value) (cty.Value, bool) {
	switch {
	case !attr.Required && !attr.Optional:
		return cty.NilVal, false
	case attr.Optional && was != cty.NilVal && !was.IsNull() && c.oneIn(2):
		return attr.EmptyValue(), true
	}
	where.secret = attr.Sensitive || attr.WriteOnly
	return c.attribute(attr, where), true
}

// attributeAt returns the attribute at path itself, not one that encloses it, or nil.
func attributeAt(body *configschema.Block, path cty.Path) *configschema.Attribute {
	attr := body.EnclosingAttribute(path)
	if attr == nil || len(path) == 1 {
		return attr
	}
	if around := body.EnclosingAttribute(path[:len(path)-1]); around == attr {
		return nil
	}
	return attr
}

// fits reports whether a configuration has the required arguments and the number of
// blocks that its schema requires. Clients check this before they call a provider.
func fits(b *configschema.Block, config cty.Value) bool {
	if config.IsNull() || !config.IsKnown() {
		return true
	}
	if !attributesFit(b.Attributes, config) {
		return false
	}
	for name, nested := range b.BlockTypes {
		if !blocksFit(nested, config.GetAttr(name)) {
			return false
		}
	}
	return true
}

func blocksFit(b *configschema.NestedBlock, v cty.Value) bool {
	switch b.Nesting {
	case configschema.NestingSingle, configschema.NestingGroup:
		return (b.MinItems == 0 || !v.IsNull()) && fits(&b.Block, v)
	}
	if !v.IsKnown() {
		return true
	}
	if n := v.LengthInt(); n < b.MinItems || b.MaxItems > 0 && n > b.MaxItems {
		return false
	}
	for _, e := range v.Elements() {
		if !fits(&b.Block, e) {
			return false
		}
	}
	return true
}

func attributesFit(attrs map[string]*configschema.Attribute, v cty.Value) bool {
	for name, attr := range attrs {
		here := v.GetAttr(name)
		switch {
		case attr.Required && here.IsNull():
			return false
		case attr.NestedType == nil || here.IsNull() || !here.IsKnown():
			continue
		case attr.NestedType.Nesting == configschema.NestingSingle:
			if !attributesFit(attr.NestedType.Attributes, here) {
				return false
			}
			continue
		}
		for _, e := range here.Elements() {
			if !e.IsNull() && e.IsKnown() && !attributesFit(attr.NestedType.Attributes, e) {
				return false
			}
		}
	}
	return true
}
