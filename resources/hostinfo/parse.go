package hostinfo

import (
	"strconv"
	"strings"
)

// output parses the sections.
func (p parts) output() *Output {
	for name, text := range p {
		p[name] = strings.ToValidUTF8(text, "\uFFFD")
	}
	memory, swap := meminfo(p["meminfo"], "MemTotal"), meminfo(p["meminfo"], "SwapTotal")
	if memory == nil {
		memory = number(p["memory"])
	}
	out := &Output{
		Hostname: p["hostname"], Kernel: p["kernel"], KernelRelease: p["kernel_release"], KernelVersion: p["kernel_version"],
		Architecture: p["architecture"], OSRelease: p.osRelease(), User: p["user"], UserID: number(p["user_id"]), Home: p["home"],
		Processors: number(p["processors"]), MemoryTotal: memory, SwapTotal: swap,
	}
	if id := p["machine_id"]; id != "" {
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

// meminfo returns a value of /proc/meminfo in bytes, nil if it is missing.
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

// macOS has the fields of os-release(5) by the equivalent names of sw_vers.
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
