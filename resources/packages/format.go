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

// source is a repository as its file has it.
type source struct {
	name                                    string
	uris, suites, components, architectures []string
	trusted, disabled                       bool
	description                             string
	options                                 map[string]string
	key                                     address.Path // the file with its key; empty where it has none of ours
}

// format is how a package manager is told of repositories.
type format interface {
	// path is the file.
	path(name string) address.Path
	// keys are the files that a key of the repository can be in: for one that is
	// armored, and for another. The second is empty where there is none.
	keys(name string, keyName *string) (armored, binary address.Path)
	// check refuses what cannot be said. It needs no host.
	check(r *Repository) error
	// render is the text of the file or section.
	render(s source) string
	// parse reads it; what it does not understand is left out.
	parse(name, text string) source
	// own reports whether the file is the repository's alone.
	own() bool
	// whole puts a text into the file, which is nil where there is none. What else is
	// in the file stays; nil takes the text out of it.
	whole(file []byte, name string, text *string) []byte
	// cut is the text in the file, if it is there.
	cut(file []byte, name string) (string, bool)
	// index gets the index of the repository.
	index(ctx context.Context, h host.Host, name string) error
}

var formats = map[string]format{"apt": aptSources{}, "dnf": dnfRepo{}, "apk": apkList{}, "pacman": pacmanSection{}}

// ownFile is a file that is the repository's alone.
type ownFile struct{}

func (ownFile) own() bool { return true }

func (ownFile) whole(_ []byte, _ string, text *string) []byte { return []byte(*text) }

func (ownFile) cut(file []byte, _ string) (string, bool) { return string(file), file != nil }

// source is the repository that is configured.
func (r *Repository) source(f format) source {
	s := source{
		name: r.Name, uris: r.URIs, suites: r.Suites, components: r.Components, architectures: r.Architectures,
		trusted: is(r.Trusted), disabled: r.Enabled != nil && !*r.Enabled, options: r.Options, key: r.keyPath(f),
	}
	if r.Description != nil {
		s.description = *r.Description
	}
	return s
}

// keyPath is the file that the key of the repository is in.
func (r *Repository) keyPath(f format) address.Path {
	if r.Key == nil {
		return ""
	}
	armored, binary := f.keys(r.Name, r.KeyName)
	if isArmored(*r.Key) {
		return armored
	}
	return binary
}

// refused are attributes that a manager does not take, by their name, where they
// are set.
func (r *Repository) refused(manager, because string, fields ...string) error {
	set := map[string]bool{
		"suites": len(r.Suites) > 0, "components": len(r.Components) > 0, "architectures": len(r.Architectures) > 0,
		"key": r.Key != nil, "key_name": r.KeyName != nil, "trusted": is(r.Trusted), "enabled": r.Enabled != nil && !*r.Enabled,
		"description": r.Description != nil, "options": len(r.Options) > 0,
	}
	for _, field := range fields {
		if set[field] {
			return diag.AttributeErrorf(field, "%s has nothing of this kind: %s. Leave it out", manager, because)
		}
	}
	return nil
}

// reserved refuses options that attributes stand for.
func (r *Repository) reserved(names map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		for taken, attribute := range names {
			if strings.EqualFold(name, taken) {
				return diag.AttributeErrorf("options", "the option %s is what the attribute %s says: set that instead", name, attribute)
			}
		}
	}
	return nil
}

// oneLine refuses options of several lines.
func (r *Repository) oneLine() error {
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		if strings.Contains(r.Options[name], "\n") {
			return diag.AttributeErrorf("options", "the option %s has several lines, and can have one", name)
		}
	}
	return nil
}

// keyAgainstTrust refuses a key that nothing is checked with.
func (r *Repository) keyAgainstTrust() error {
	if r.Key != nil && is(r.Trusted) {
		return diag.AttributeErrorf("trusted", "nothing is checked with the key where the repository is trusted without one. Leave one of the two out")
	}
	return nil
}

// insert adds an option to those that are there.
func (s *source) insert(name, value string) {
	if s.options == nil {
		s.options = map[string]string{}
	}
	s.options[name] = value
}
