package packages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// aptSources is the format of .sources files of apt (deb822).
type aptSources struct{ ownFile }

func (aptSources) path(name string) address.Path {
	return address.Path("/etc/apt/sources.list.d/" + name + ".sources")
}

// keyPaths uses the extensions by which apt distinguishes armored and binary keys.
func (aptSources) keyPaths(name string, _ *string) (armored, binary address.Path) {
	const dir = "/etc/apt/keyrings/"
	return address.Path(dir + name + ".asc"), address.Path(dir + name + ".gpg")
}

func (aptSources) check(r *Repository) error {
	switch {
	case len(r.URIs) == 0:
		return diag.AttributeErrorf("uris", "apt requires an address of the repository, such as https://deb.example.com")
	case len(r.Suites) == 0:
		return diag.AttributeErrorf("suites", "apt requires a suite, such as stable or the code name of the release; use ./ for a repository without suites")
	}
	for _, suite := range r.Suites {
		if flat := strings.HasSuffix(suite, "/"); flat != (len(r.Components) == 0) {
			return diag.AttributeErrorf("components", "the suite %s must be used %s components, since it %s with a slash", suite,
				map[bool]string{true: "without", false: "with"}[flat], map[bool]string{true: "ends", false: "does not end"}[flat])
		}
	}
	taken := map[string]string{
		"URIs": "uris", "Suites": "suites", "Components": "components", "Architectures": "architectures", "Trusted": "trusted", "Enabled": "enabled",
	}
	if r.Key != nil {
		taken["Signed-By"] = "key"
	}
	const why = "key files are named after the repository, and a repository has no description"
	return cmp.Or(r.checkReserved(taken), r.checkUnsupported("apt", why, "key_name", "description"), r.checkTrusted())
}

// render returns a deb822 paragraph. Continuation lines of a value start with a space, and
// empty ones are written as a dot.
func (aptSources) render(s source) string {
	var b strings.Builder
	field := func(name, value string) {
		if value == "" {
			return
		}
		b.WriteString(name + ":")
		for i, line := range strings.Split(value, "\n") {
			switch {
			case i > 0 && line == "":
				line = "\n ."
			case i > 0:
				line = "\n " + line
			case line != "":
				line = " " + line
			}
			b.WriteString(line)
		}
		b.WriteByte('\n')
	}
	if s.options["Types"] == "" {
		field("Types", "deb")
	}
	field("Types", s.options["Types"])
	field("URIs", strings.Join(s.uris, " "))
	field("Suites", strings.Join(s.suites, " "))
	field("Components", strings.Join(s.components, " "))
	field("Architectures", strings.Join(s.architectures, " "))
	field("Signed-By", string(s.key))
	if s.trusted {
		field("Trusted", "yes")
	}
	if s.disabled {
		field("Enabled", "no")
	}
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		if name != "Types" {
			field(name, s.options[name])
		}
	}
	return b.String()
}

func (f aptSources) parse(name, text string) source {
	if paragraphs := parseDeb822(text); len(paragraphs) > 0 {
		return f.parseParagraph(name, paragraphs[0])
	}
	return source{name: name}
}

// others returns the suites of all paragraphs but the first one, or the number of a paragraph without
// suites. It returns no addresses, because they may contain passwords.
func (f aptSources) others(name, text string) []string {
	var others []string
	for i, paragraph := range parseDeb822(text) {
		suites := f.parseParagraph(name, paragraph).suites
		switch {
		case i == 0:
		case len(suites) == 0:
			others = append(others, fmt.Sprintf("paragraph %d", i+1))
		default:
			others = append(others, strconv.Quote(strings.Join(suites, " ")))
		}
	}
	return others
}

func (f aptSources) parseParagraph(name string, fields [][2]string) source {
	s := source{name: name}
	armored, binary := f.keyPaths(name, nil)
	for _, field := range fields {
		value := field[1]
		words := strings.Fields(value)
		switch strings.ToLower(field[0]) {
		case "uris":
			s.uris = words
		case "suites":
			s.suites = words
		case "components":
			s.components = words
		case "architectures":
			s.architectures = words
		case "trusted":
			s.trusted = yes(value)
		case "enabled":
			s.disabled = !yes(value)
		case "types":
			if value != "deb" {
				s.addOption("Types", value)
			}
		case "signed-by":
			if value == string(armored) || value == string(binary) {
				s.key = address.Path(value)
				continue
			}
			s.addOption(field[0], value)
		default:
			s.addOption(field[0], value)
		}
	}
	return s
}

// parseDeb822 returns the fields of each paragraph, in order.
func parseDeb822(text string) [][][2]string {
	var paragraphs [][][2]string
	var fields [][2]string // of the current paragraph
	end := func() {
		if len(fields) > 0 {
			paragraphs, fields = append(paragraphs, fields), nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		name, value, isField := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			end()
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
			if len(fields) > 0 {
				more := strings.TrimSpace(line)
				if more == "." {
					more = ""
				}
				fields[len(fields)-1][1] += "\n" + more
			}
		case isField && optionName.MatchString(name):
			fields = append(fields, [2]string{name, strings.TrimSpace(value)})
		}
	}
	end()
	return paragraphs
}

func yes(value string) bool {
	return slices.Contains([]string{"yes", "true", "1", "on", "with", "enable"}, strings.ToLower(strings.TrimSpace(value)))
}

// updateIndex only downloads the package lists of this file, and keeps those of other files.
func (f aptSources) updateIndex(ctx context.Context, h host.Host, name string) error {
	return updateApt(ctx, h, "-o", "Dir::Etc::sourcelist="+string(f.path(name)), "-o", "Dir::Etc::sourceparts=/dev/null",
		"-o", "APT::Get::List-Cleanup=0")
}
