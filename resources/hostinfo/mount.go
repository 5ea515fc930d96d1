package hostinfo

import "strings"

// procMounts parses /proc/self/mounts: device, directory, type and options, with white
// space escaped in octal.
func procMounts(text string) []Mount {
	if text == "" {
		return nil
	}
	all := []Mount{}
	for line := range strings.Lines(text) {
		word := strings.Fields(line)
		if len(word) < 4 {
			continue
		}
		all = append(all, Mount{Device: unescape(word[0]), Path: unescape(word[1]), Type: unescape(word[2]), Options: options(unescape(word[3]))})
	}
	return all
}

// unescape replaces the octal escapes of the kernel.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	octal := func(s string) (n byte, ok bool) {
		if len(s) < 3 || s[0] > '3' {
			return 0, false
		}
		for i := range 3 {
			if s[i] < '0' || s[i] > '7' {
				return 0, false
			}
			n = n<<3 | (s[i] - '0')
		}
		return n, true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			if n, ok := octal(text[i+1:]); ok {
				b.WriteByte(n)
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// mountLines parses the output of mount, for systems without /proc:
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
