package packages

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// dnfRepo is the format of .repo files of dnf.
type dnfRepo struct{ ownFile }

func (dnfRepo) path(name string) address.Path {
	return address.Path("/etc/yum.repos.d/" + name + ".repo")
}

func (dnfRepo) keyPaths(name string, _ *string) (armored, binary address.Path) {
	return address.Path("/etc/pki/rpm-gpg/RPM-GPG-KEY-" + name), ""
}

func (dnfRepo) check(r *Repository) error {
	if err := r.checkUnsupported("dnf", "each address is a directory with the whole repository", "suites", "components", "architectures", "key_name"); err != nil {
		return err
	}
	elsewhere := r.Options["mirrorlist"] != "" || r.Options["metalink"] != ""
	switch {
	case r.Name == "main":
		return diag.AttributeErrorf("name", "dnf uses the name main for its own settings. Choose another name")
	case len(r.URIs) == 0 && !elsewhere:
		return diag.AttributeErrorf("uris", "dnf requires an address of the repository, or the option mirrorlist or metalink")
	case r.Key != nil && !isArmored(*r.Key):
		return diag.AttributeErrorf("key", "dnf only supports armored keys. Use the published armored key, or convert this one with "+
			"gpg --no-default-keyring --keyring ./FILE --armor --export")
	}
	taken := map[string]string{"name": "description", "baseurl": "uris", "enabled": "enabled", "gpgcheck": "trusted"}
	if r.Key != nil {
		taken["gpgkey"] = "key"
	}
	return cmp.Or(r.checkReserved(taken), r.checkSingleLine(), r.checkTrusted())
}

func (dnfRepo) render(s source) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			b.WriteString(name + "=" + value + "\n")
		}
	}
	b.WriteString("[" + s.name + "]\n")
	field("name", cmp.Or(s.description, s.name)) // dnf warns about a repository without a name
	field("baseurl", strings.Join(s.uris, " "))
	field("enabled", map[bool]string{false: "1", true: "0"}[s.disabled])
	field("gpgcheck", map[bool]string{false: "1", true: "0"}[s.trusted])
	if s.key != "" {
		field("gpgkey", "file://"+string(s.key))
	}
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		field(name, s.options[name])
	}
	return b.String()
}

func (f dnfRepo) parse(name, text string) source {
	s := source{name: name}
	key, _ := f.keyPaths(name, nil)
	for _, field := range parseINI(text, name, true) {
		value := field[1]
		switch field[0] {
		case "name":
			if value != name {
				s.description = value
			}
		case "baseurl":
			s.uris = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		case "enabled":
			s.disabled = !yes(value)
		case "gpgcheck":
			s.trusted = !yes(value)
		case "gpgkey":
			if value == "file://"+string(key) {
				s.key = key
				continue
			}
			s.addOption(field[0], value)
		default:
			s.addOption(field[0], value)
		}
	}
	return s
}

// others returns the headings of the other sections.
func (dnfRepo) others(name, text string) []string {
	var others []string
	for _, line := range lines(text) {
		if line[0] == '[' && strings.TrimSpace(line) != "["+name+"]" {
			others = append(others, strconv.Quote(line))
		}
	}
	return others
}

// parseINI returns the fields of a section, in order. If continued is set, lines that
// start with a space or a tab continue the value before them.
func parseINI(text, section string, continued bool) (fields [][2]string) {
	within := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		name, value, isField := strings.Cut(bare, "=")
		name = strings.TrimSpace(name)
		switch {
		case bare == "" || bare[0] == '#' || bare[0] == ';':
		case line[0] == '[':
			within = bare == "["+section+"]"
		case !within:
		case continued && (line[0] == ' ' || line[0] == '\t') && len(fields) > 0:
			fields[len(fields)-1][1] = strings.TrimSpace(fields[len(fields)-1][1] + " " + bare)
		case isField && optionName.MatchString(name):
			fields = append(fields, [2]string{name, strings.TrimSpace(value)})
		}
	}
	return fields
}

func (dnfRepo) updateIndex(ctx context.Context, h host.Host, name string) error {
	_, err := dnfCall("--disablerepo=*", "--enablerepo="+name, "--setopt="+name+".skip_if_unavailable=0", "makecache", "--refresh").Run(ctx, h)
	return err
}

// apkList is the format of files in /etc/apk/repositories.d.
type apkList struct{ ownFile }

func (apkList) path(name string) address.Path {
	return address.Path("/etc/apk/repositories.d/" + name + ".list")
}

// keyPaths uses key_name, which the signatures of packages refer to, or else the name of the repository.
func (apkList) keyPaths(name string, keyName *string) (armored, binary address.Path) {
	file := name + ".rsa.pub"
	if keyName != nil {
		file = *keyName
	}
	return address.Path("/etc/apk/keys/" + file), ""
}

func (apkList) check(r *Repository) error {
	switch {
	case len(r.URIs) == 0:
		return diag.AttributeErrorf("uris", "apk requires an address of the repository, such as https://apk.example.com/main")
	case r.Key != nil && !strings.HasPrefix(strings.TrimSpace(*r.Key), armor+"PUBLIC KEY"):
		return diag.AttributeErrorf("key", "apk only supports PEM keys, which start with -----BEGIN PUBLIC KEY-----")
	}
	return r.checkUnsupported("apk", "a repository is a line that has only its address", "suites", "components", "architectures", "trusted", "enabled", "description", "options")
}

func (apkList) render(s source) string { return strings.Join(s.uris, "\n") + "\n" }

// others returns nothing: all lines are addresses of the repository.
func (apkList) others(string, string) []string { return nil }

// parse always sets the path of the key file: the lines do not show whether the file exists.
func (f apkList) parse(name, text string) source {
	s := source{name: name}
	for _, line := range lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			s.uris = append(s.uris, line)
		}
	}
	s.key, _ = f.keyPaths(name, nil)
	return s
}

func (apkList) updateIndex(ctx context.Context, h host.Host, _ string) error {
	return apk{}.refresh(ctx, h)
}

// pacmanSection is the format of sections of /etc/pacman.conf.
type pacmanSection struct{}

func (pacmanSection) path(string) address.Path { return pacmanConf }

func (pacmanSection) keyPaths(string, *string) (armored, binary address.Path) { return "", "" }

func (pacmanSection) check(r *Repository) error {
	if err := r.checkUnsupported("pacman", "each address is a directory with the whole repository, and a repository is always enabled", "suites", "components", "architectures", "key_name", "enabled", "description"); err != nil {
		return err
	}
	switch {
	case r.Name == "options" || r.Name == "local":
		return diag.AttributeErrorf("name", "pacman reserves the names options and local. Choose another name")
	case len(r.URIs) == 0 && r.Options["Include"] == "":
		return diag.AttributeErrorf("uris", "pacman requires an address of the repository, or the option Include with a file that has one")
	case r.Key != nil:
		return diag.AttributeErrorf("key", "pacman has its own keyring. Add the key there, for example with pacman-key --add and --lsign-key in a posix_command that this resource depends on")
	}
	taken := map[string]string{"Server": "uris"}
	if isTrue(r.Trusted) {
		taken["SigLevel"] = "trusted"
	}
	return cmp.Or(r.checkReserved(taken), r.checkSingleLine())
}

func (pacmanSection) render(s source) string {
	var b strings.Builder
	b.WriteString("[" + s.name + "]\n")
	if s.trusted {
		b.WriteString("SigLevel = Never\n")
	}
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		b.WriteString(name + " = " + s.options[name] + "\n")
	}
	for _, uri := range s.uris {
		b.WriteString("Server = " + uri + "\n")
	}
	return b.String()
}

func (pacmanSection) parse(name, text string) source {
	s := source{name: name}
	for _, field := range parseINI(text, name, false) {
		switch {
		case field[0] == "Server":
			s.uris = append(s.uris, field[1])
		case field[0] == "SigLevel" && field[1] == "Never":
			s.trusted = true
		default:
			s.addOption(field[0], field[1])
		}
	}
	return s
}

// others returns nothing: the text is only that of the section.
func (pacmanSection) others(string, string) []string { return nil }

func (pacmanSection) ownsFile() bool { return false }

// bounds returns the range of the section in the file: from its heading to its last line
// that is neither empty nor a comment. Comments after that belong to the next section.
func (pacmanSection) bounds(file, name string) (from, to int, found bool) {
	at := 0
	for line := range strings.Lines(file) {
		bare := strings.TrimSpace(line)
		end := at + len(line)
		switch {
		case strings.HasPrefix(bare, "["):
			if found {
				return from, to, true
			}
			if bare == "["+name+"]" {
				from, to, found = at, end, true
			}
		case found && bare != "" && bare[0] != '#':
			to = end
		}
		at = end
	}
	return from, to, found
}

func (p pacmanSection) extract(file []byte, name string) (string, bool) {
	from, to, found := p.bounds(string(file), name)
	return string(file[from:to]), found
}

func (p pacmanSection) replace(file []byte, name string, text *string) []byte {
	conf := string(file)
	from, to, found := p.bounds(conf, name)
	switch {
	case !found && text == nil:
		return file
	case text == nil: // also removes the empty line before the section
		before := conf[:from]
		if strings.HasSuffix(before, "\n\n") {
			before = before[:len(before)-1]
		}
		return []byte(before + conf[to:])
	case found:
		return []byte(conf[:from] + *text + conf[to:])
	}
	if conf != "" && !strings.HasSuffix(conf, "\n") {
		conf += "\n"
	}
	if conf != "" {
		conf += "\n"
	}
	return []byte(conf + *text)
}

func (pacmanSection) updateIndex(ctx context.Context, h host.Host, _ string) error {
	return pacman{}.refresh(ctx, h)
}
