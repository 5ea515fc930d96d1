package roottest

import (
	"slices"
	"strings"
)

// source is a package archive in the apt configuration.
type source struct {
	uris, suites, components []string
	keyring                  string // a path, or empty
	raw                      string // the complete entry
}

// parseList parses the format of sources.list, one entry per line.
func parseList(text string) []source {
	var found []source
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		rest, isBinary := strings.CutPrefix(line, "deb")
		if !isBinary || strings.TrimLeft(rest, " \t") == rest { // deb-src, a comment or any other line
			continue
		}
		s := source{raw: line + "\n"}
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "[") {
			options, after, closed := strings.Cut(rest[1:], "]")
			if !closed {
				continue
			}
			for option := range strings.FieldsSeq(options) {
				if path, is := strings.CutPrefix(option, "signed-by="); is && strings.HasPrefix(path, "/") {
					s.keyring = path
				}
			}
			rest = after
		}
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		s.uris, s.suites, s.components = fields[:1], fields[1:2], fields[2:]
		found = append(found, s)
	}
	return found
}

// parseStanzas parses the format of .sources files, one entry per stanza.
func parseStanzas(text string) []source {
	var found []source
	var lines []string
	end := func() {
		if s, ok := parseStanza(lines); ok {
			found = append(found, s)
		}
		lines = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == "":
			end()
		case !strings.HasPrefix(line, "#"):
			lines = append(lines, line)
		}
	}
	end()
	return found
}

func parseStanza(lines []string) (source, bool) {
	fields := map[string]string{}
	last := ""
	for _, line := range lines {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			fields[last] += "\n" + line
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return source{}, false
		}
		last = strings.ToLower(name)
		fields[last] = strings.TrimSpace(value)
	}
	s := source{
		uris:       strings.Fields(fields["uris"]),
		suites:     strings.Fields(fields["suites"]),
		components: strings.Fields(fields["components"]),
		raw:        strings.Join(lines, "\n") + "\n",
	}
	if path := fields["signed-by"]; strings.HasPrefix(path, "/") && len(strings.Fields(path)) == 1 {
		s.keyring = path
	}
	off := strings.EqualFold(fields["enabled"], "no") || !slices.Contains(strings.Fields(fields["types"]), "deb")
	return s, !off && len(s.uris) > 0 && len(s.suites) > 0
}

// of reports whether an archive belongs to the distribution: the release, its
// updates or its security updates. Third-party archives are not needed to build a
// root, and archives on a disk of the host are not available in a root.
func (s source) of(codename string) bool {
	local := slices.ContainsFunc(s.uris, func(uri string) bool {
		scheme, _, _ := strings.Cut(uri, ":")
		return scheme == "cdrom" || scheme == "file" || scheme == "copy"
	})
	return !local && slices.Contains(s.components, "main") && slices.ContainsFunc(s.suites, func(suite string) bool {
		return suite == codename || suite == codename+"-updates" || suite == codename+"-security"
	})
}

// mirror returns the HTTP or HTTPS URL of the release for debootstrap, and reports whether
// the archive has the release and such a URL.
func (s source) mirror(codename string) (string, bool) {
	if !slices.Contains(s.suites, codename) {
		return "", false
	}
	for _, uri := range s.uris {
		if scheme, _, ok := strings.Cut(uri, "://"); ok && (scheme == "http" || scheme == "https") {
			return uri, true
		}
	}
	return "", false
}
