package hostinfo

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/mounttable"
)

// output returns the facts that the sections contain.
func (p parts) output() *Output {
	for name, text := range p {
		p[name] = strings.ToValidUTF8(text, "\uFFFD")
	}
	memory, swap := cmp.Or(meminfo(p["meminfo"], "MemTotal"), number(p["memory"])), meminfo(p["meminfo"], "SwapTotal")
	out := &Output{
		Hostname: p["hostname"], Kernel: p["kernel"], KernelRelease: p["kernel_release"], KernelVersion: p["kernel_version"],
		Architecture: p["architecture"], OSRelease: p.osRelease(), User: p["user"], UserID: number(p["user_id"]), Home: p["home"],
		Processors: number(p["processors"]), MemoryTotal: memory, SwapTotal: swap,
	}
	if id := p["machine_id"]; id != "" && id != "uninitialized" { // as in an image before its first boot
		out.MachineID = &id
	}
	if text, ok := p["ifconfig"]; ok {
		out.Addresses = ifconfigAddresses(text)
	} else {
		out.Addresses = ipAddresses(p["ip"])
	}
	if text, ok := p["mount"]; ok {
		out.Mounts = mountLines(text)
	} else {
		out.Mounts = procMounts(p["mounts"])
	}
	return out
}

func number(text string) *int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// meminfo returns a value of /proc/meminfo in bytes, or nil if the value is missing.
func meminfo(text, name string) *int64 {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		if key != name {
			continue
		}
		n := number(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		if n != nil {
			*n *= 1024
		}
		return n
	}
	return nil
}

// macOS maps the field names of sw_vers to the equivalent ones of os-release(5).
var macOS = map[string]string{"ProductName": "NAME", "ProductVersion": "VERSION_ID", "BuildVersion": "BUILD_ID"}

func (p parts) osRelease() map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(p["os_release"]) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			fields[strings.TrimSpace(name)] = unquote(strings.TrimSpace(value))
		}
	}
	if len(fields) == 0 {
		for line := range strings.Lines(p["sw_vers"]) {
			name, value, _ := strings.Cut(line, ":")
			if field := macOS[name]; field != "" {
				fields[field] = strings.TrimSpace(value)
			}
		}
		if len(fields) > 0 {
			fields["ID"], fields["PRETTY_NAME"] = "macos", strings.TrimSpace(fields["NAME"]+" "+fields["VERSION_ID"])
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return fields
}

// unquote returns a value of os-release(5) without shell quotes.
func unquote(value string) string {
	if len(value) < 2 || value[0] != value[len(value)-1] || value[0] != '"' && value[0] != '\'' {
		return value
	}
	quote, inner := value[0], value[1:len(value)-1]
	if quote == '\'' || !strings.Contains(inner, `\`) {
		return inner
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) && strings.IndexByte("$\"\\`", inner[i+1]) >= 0 {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}

// procMounts parses /proc/self/mounts: device, directory, type and options, with white
// space escaped in octal.
func procMounts(text string) []Mount {
	if text == "" {
		return nil
	}
	all := []Mount{}
	for line := range strings.Lines(text) {
		word := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\n' }) // other white space is part of a name
		if len(word) < 4 {
			continue
		}
		all = append(all, Mount{Device: unescape(word[0]), Path: unescape(word[1]), Type: unescape(word[2]), Options: options(unescape(word[3]))})
	}
	return all
}

// unescape decodes a field of /proc/self/mounts. It replaces invalid UTF-8.
func unescape(field string) string {
	return strings.ToValidUTF8(mounttable.Unescape(field), "\uFFFD")
}

// mountLines parses the output of mount, for hosts without /proc/self/mounts:
//
//	/dev/disk3s1 on / (apfs, sealed, local, read-only)
//	/dev/sd0a on / type ffs (local, noatime)
//
// The second form is that of OpenBSD, NetBSD and busybox.
func mountLines(text string) []Mount {
	if text == "" {
		return nil
	}
	all := []Mount{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		front, list, ok := cutLast(strings.TrimSuffix(line, ")"), " (")
		device, path, named := strings.Cut(front, " on ")
		if !ok || !named || !strings.HasSuffix(line, ")") {
			continue
		}
		m := Mount{Device: device, Path: path, Options: options(list)}
		if at, kind, typed := cutLast(path, " type "); typed {
			m.Path, m.Type = at, kind
		} else if len(m.Options) > 0 {
			m.Type, m.Options = m.Options[0], m.Options[1:]
		}
		all = append(all, m)
	}
	return all
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func options(text string) []string {
	all := []string{}
	for option := range strings.SplitSeq(text, ",") {
		if option = strings.TrimSpace(option); option != "" {
			all = append(all, option)
		}
	}
	return all
}
