package mount

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// restrictions maps each flag that must be in effect if and only if it is configured to the
// option that clears it. A bind mount may also inherit these flags from its source.
var restrictions = map[string]string{
	"ro": "rw", "nosuid": "suid", "nodev": "dev", "noexec": "exec", "sync": "async", "nosymfollow": "symfollow",
}

// implied has the restrictions that other options imply.
var implied = map[string][]string{
	"user": {"noexec", "nosuid", "nodev"}, "users": {"noexec", "nosuid", "nodev"}, "owner": {"nosuid", "nodev"}, "group": {"nosuid", "nodev"},
}

// userspaceOptions are the options that are neither compared nor copied to those of a remount. Most of
// them are interpreted by mount(8) and the init system.
var userspaceOptions = []string{
	"defaults", "auto", "noauto", "nouser", "nousers", "noowner", "nogroup", "user", "users", "owner", "group", "nofail", "_netdev", "_rnetdev",
	"loop", "offset", "sizelimit", "encryption", "comment", "helper", "uhelper", "bind", "rbind", "remount", "silent", "loud",
	"private", "rprivate", "shared", "rshared", "slave", "rslave", "unbindable", "runbindable", "mand", "nomand", "iversion", "noiversion",
}

// isBind reports whether the options are those of a bind mount.
func isBind(options []string) bool {
	return slices.Contains(options, "bind") || slices.Contains(options, "rbind")
}

// isAutomount reports whether systemd mounts the file system when its path is used.
func isAutomount(options []string) bool { return slices.Contains(options, "x-systemd.automount") }

// kernelOptions returns the options without userspaceOptions and those for other programs (x- and X-).
func kernelOptions(options []string) []string {
	return slices.DeleteFunc(slices.Clone(options), func(option string) bool {
		name, _, _ := strings.Cut(option, "=")
		return strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "X-") || name == "" || slices.Contains(userspaceOptions, name)
	})
}

// parseRestrictions returns which restrictions the options set, and which they mention.
func parseRestrictions(options []string) (is, mentioned map[string]bool) {
	is, mentioned = map[string]bool{}, map[string]bool{}
	set := func(flag string, on bool) { is[flag], mentioned[flag] = on, true }
	for _, option := range options {
		for _, flag := range implied[option] {
			set(flag, true)
		}
		for flag, opposite := range restrictions {
			switch option {
			case flag:
				set(flag, true)
			case opposite:
				set(flag, false)
			}
		}
	}
	return is, mentioned
}

// isRestriction reports whether an option sets or clears a restriction.
func isRestriction(option string) bool {
	for flag, opposite := range restrictions {
		if option == flag || option == opposite {
			return true
		}
	}
	return false
}

// clearedRestrictions returns options that clear the restrictions that options does not
// mention, because a remount would keep them. It does not clear nosymfollow.
func clearedRestrictions(options []string) []string {
	var all []string
	_, mentioned := parseRestrictions(options)
	for flag, opposite := range restrictions {
		if !mentioned[flag] && flag != "nosymfollow" { // some versions of mount(8) do not support symfollow
			all = append(all, opposite)
		}
	}
	slices.Sort(all)
	return all
}

// remountOptions returns the options of a remount. Passwords are omitted, since an
// error shows the command.
func remountOptions(options []string) []string {
	all := append([]string{"remount"}, clearedRestrictions(options)...)
	if isBind(options) {
		all = []string{"remount", "bind"}
	}
	return append(all, slices.DeleteFunc(kernelOptions(options), func(option string) bool {
		name, _, _ := strings.Cut(option, "=")
		return strings.Contains(name, "pass")
	})...)
}

// differences returns a message for each option that is not in effect, and for each
// restriction that is in effect but not configured, unless a bind mount may have inherited it.
// Options that the kernel does not show, because they are defaults or are shown in a different
// form, are assumed to be in effect.
func differences(want, have []string) (all []string) {
	is, mentioned := parseRestrictions(want)
	bind := isBind(want)
	for flag := range restrictions {
		on := slices.Contains(have, flag)
		switch {
		case on == is[flag] || bind && !mentioned[flag]: // a bind mount inherits the flags of its source
		case on:
			all = append(all, flag+" is in effect")
		default:
			all = append(all, flag+" is not in effect")
		}
	}
	for _, option := range kernelOptions(want) {
		if isRestriction(option) {
			continue
		}
		if word := optionDifference(option, have); word != "" {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}

// optionDifference returns a message if an option is not in effect, and an empty string otherwise.
func optionDifference(option string, have []string) string {
	name, value, valued := strings.Cut(option, "=")
	missing := option + " is not in effect"
	switch {
	case valued:
		for _, other := range have {
			if n, v, _ := strings.Cut(other, "="); n == name && !sameValue(name, value, v) {
				return other + " is in effect instead of " + option
			}
		}
		return ""
	case option == "strictatime":
		if slices.Contains(have, "noatime") || slices.Contains(have, "relatime") {
			return missing
		}
		return ""
	case slices.Contains([]string{"noatime", "relatime", "dirsync", "lazytime"}, option):
		if !slices.Contains(have, option) {
			return missing
		}
		return ""
	case option == "nodiratime":
		if !slices.Contains(have, option) && !slices.Contains(have, "noatime") {
			return missing
		}
		return ""
	}
	opposite := "no" + option
	if bare, is := strings.CutPrefix(option, "no"); is {
		opposite = bare
	}
	if !slices.Contains(have, option) && slices.Contains(have, opposite) {
		return opposite + " is in effect instead of " + option
	}
	return ""
}

// sameValue reports whether an option has the configured value, even if the kernel shows a different form: a size
// with or without its unit, or rounded up to whole pages, a mode with or without leading zeros, a version with
// its minor number, a subvolume with a leading slash, a compression with its level, a number of hidepid as a
// word. A configured name or percentage counts as equal to any number.
func sameValue(name, want, have string) bool {
	want, have = strings.Trim(want, `"`), strings.Trim(have, `"`) // the kernel quotes a context only if it has a comma
	switch name {
	case "subvol":
		return strings.Trim(want, "/") == strings.Trim(have, "/")
	case "compress", "compress-force":
		if strings.HasPrefix(have, want+":") {
			return true
		}
	case "hidepid":
		want, have = cmp.Or(hidepid[want], want), cmp.Or(hidepid[have], have)
	}
	if want == have || strings.TrimLeft(want, "0") == strings.TrimLeft(have, "0") {
		return true
	}
	if strings.HasSuffix(want, "%") || strings.HasPrefix(have, want+".") { // vers=4 matches vers=4.2
		return true
	}
	w, numeric := parseSize(want)
	h, shown := parseSize(have)
	switch {
	case shown && !numeric:
		return true
	case name == "size": // rounded up to whole pages, of up to 64 KiB
		return numeric && shown && h >= w && h-w < 64<<10
	}
	return numeric && shown && w == h
}

// hidepid has the words that Linux shows for the values of the option hidepid of proc, since version 5.8.
var hidepid = map[string]string{"0": "off", "1": "noaccess", "2": "invisible", "4": "ptraceable"}

// parseSize parses a number with an optional unit.
func parseSize(text string) (int64, bool) {
	text = strings.ToLower(text) // may change the length
	digits, shift := strings.TrimRight(text, "kmgt"), 0
	switch unit := text[len(digits):]; {
	case len(unit) > 1:
		return 0, false
	case unit != "":
		shift = 10 * (1 + strings.Index("kmgt", unit))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return 0, false
	}
	return n << shift, true
}
