package packages

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// source is the definition of a repository in its file.
type source struct {
	name                                    string
	uris, suites, components, architectures []string
	trusted, disabled                       bool
	description                             string
	options                                 map[string]string
	key                                     address.Path // path of its key file; empty if the provider does not manage one
}

// format parses and renders the repository files of a package manager.
type format interface {
	// path returns the path of the file of a repository.
	path(name string) address.Path
	// keyPaths returns the paths of the key file of the repository, for an armored and
	// for a binary key. A path is empty if such keys are not supported.
	keyPaths(name string, keyName *string) (armored, binary address.Path)
	// check returns an error if the format cannot express r. It does not use the host.
	check(r *Repository) error
	// render returns the text of the file or section.
	render(s source) string
	// parse is the inverse of render. It ignores lines that it cannot parse.
	parse(name, text string) source
	// others returns the other repositories in the text, each in the form that errors show.
	others(name, text string) []string
	// ownsFile reports whether the file contains only the repository.
	ownsFile() bool
	// replace returns the file with the text of the repository replaced or added, or removed if
	// text is nil, which is not valid if ownsFile returns true. The rest is unchanged, except for line
	// breaks before the text. A nil file is one that does not exist.
	replace(file []byte, name string, text *string) []byte
	// extract returns the text of the repository in the file, and whether it has one.
	extract(file []byte, name string) (string, bool)
	// updateIndex updates the package index of the repository or, with apk and pacman, the indexes of all repositories.
	updateIndex(ctx context.Context, h host.Host, name string) error
}

var formats = map[string]format{"apt": aptSources{}, "dnf": dnfRepo{}, "apk": apkList{}, "pacman": pacmanSection{}}

// ownFile is embedded in formats with one repository per file. Files that the provider has not
// written may have several.
type ownFile struct{}

func (ownFile) ownsFile() bool { return true }

func (ownFile) replace(_ []byte, _ string, text *string) []byte { return []byte(*text) }

func (ownFile) extract(file []byte, _ string) (string, bool) { return string(file), file != nil }

// source returns the configured definition.
func (r *Repository) source(f format) source {
	s := source{
		name: r.Name, uris: r.URIs, suites: r.Suites, components: r.Components, architectures: r.Architectures,
		trusted: isTrue(r.Trusted), disabled: r.Enabled != nil && !*r.Enabled, options: r.Options, key: r.keyPath(f),
	}
	if r.Description != nil {
		s.description = *r.Description
	}
	return s
}

// keyPath returns the path of the file of the configured key, or an empty path if no key is configured.
func (r *Repository) keyPath(f format) address.Path {
	if r.Key == nil {
		return ""
	}
	armored, binary := f.keyPaths(r.Name, r.KeyName)
	if isArmored(*r.Key) {
		return armored
	}
	return binary
}

// checkUnsupported returns an error if one of fields is set, because the package manager does not
// support them. `trusted = false` and `enabled = true` need no support and are accepted.
func (r *Repository) checkUnsupported(manager, because string, fields ...string) error {
	set := map[string]bool{
		"suites": len(r.Suites) > 0, "components": len(r.Components) > 0, "architectures": len(r.Architectures) > 0,
		"key": r.Key != nil, "key_name": r.KeyName != nil, "trusted": isTrue(r.Trusted), "enabled": r.Enabled != nil && !*r.Enabled,
		"description": r.Description != nil, "options": len(r.Options) > 0,
	}
	for _, field := range fields {
		if set[field] {
			return diag.AttributeErrorf(field, "%s is not supported by %s: %s. Leave the attribute out", field, manager, because)
		}
	}
	return nil
}

// checkReserved returns an error if an option is one that an attribute sets; names maps
// such options to their attributes.
func (r *Repository) checkReserved(names map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		for taken, attribute := range names {
			if strings.EqualFold(name, taken) {
				return diag.AttributeErrorf("options", "the option %s is set by the attribute %s: use this attribute instead", name, attribute)
			}
		}
	}
	return nil
}

// checkSingleLine returns an error if an option has several lines.
func (r *Repository) checkSingleLine() error {
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		if strings.Contains(r.Options[name], "\n") {
			return diag.AttributeErrorf("options", "the option %s must be a single line", name)
		}
	}
	return nil
}

// checkTrusted returns an error if a key is set although signatures are not verified.
func (r *Repository) checkTrusted() error {
	if r.Key != nil && isTrue(r.Trusted) {
		return diag.AttributeErrorf("trusted", "key has no effect if trusted is true. Remove key or trusted")
	}
	return nil
}

func (s *source) addOption(name, value string) {
	if s.options == nil {
		s.options = map[string]string{}
	}
	s.options[name] = value
}
