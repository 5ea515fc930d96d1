package mount

import (
	"slices"
	"strconv"
	"strings"
)

// restrictions are flags that must be in effect if they are configured, and only then. Each
// maps to its opposite.
var restrictions = map[string]string{
	"ro": "rw", "nosuid": "suid", "nodev": "dev", "noexec": "exec", "sync": "async", "nosymfollow": "symfollow",
}

// implied are flags that other options set.
var implied = map[string][]string{
	"user": {"noexec", "nosuid", "nodev"}, "users": {"noexec", "nosuid", "nodev"}, "owner": {"nosuid", "nodev"}, "group": {"nosuid", "nodev"},
}

// userOptions are options for mount(8) and for the boot, which are not passed to the
// kernel.
var userOptions = []string{
	"defaults", "auto", "noauto", "nouser", "nousers", "noowner", "nogroup", "user", "users", "owner", "group", "nofail", "_netdev", "_rnetdev",
	"loop", "offset", "sizelimit", "encryption", "comment", "helper", "uhelper", "bind", "rbind", "remount", "silent", "loud",
	"private", "rprivate", "shared", "rshared", "slave", "rslave", "unbindable", "runbindable", "mand", "nomand", "iversion", "noiversion",
}

// isBind reports whether the options are those of a bind mount.
func isBind(options []string) bool {
	return slices.Contains(options, "bind") || slices.Contains(options, "rbind")
}

// visible returns the options that are passed to the kernel.
func visible(options []string) []string {
	return slices.DeleteFunc(slices.Clone(options), func(option string) bool {
		name, _, _ := strings.Cut(option, "=")
		return strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "X-") || name == "" || slices.Contains(userOptions, name)
	})
}

// restricted returns the restrictions that options set, and those that options set or
// reset.
func restricted(options []string) (is, said map[string]bool) {
	is, said = map[string]bool{}, map[string]bool{}
	set := func(flag string, on bool) { is[flag], said[flag] = on, true }
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
	return is, said
}

// restriction reports whether an option sets or resets a restriction.
func restriction(option string) bool {
	for flag, opposite := range restrictions {
		if option == flag || option == opposite {
			return true
		}
	}
	return false
}

// lifted returns options that reset the restrictions that the line does not have: a remount
// would keep them.
func lifted(options []string) []string {
	var all []string
	_, said := restricted(options)
	for flag, opposite := range restrictions {
		if !said[flag] && flag != "nosymfollow" { // not every mount(8) supports it
			all = append(all, opposite)
		}
	}
	slices.Sort(all)
	return all
}

// remounting returns the options for a remount, without passwords, because an error shows
// the command.
func remounting(options []string) []string {
	all := append([]string{"remount"}, lifted(options)...)
	if isBind(options) {
		all = []string{"remount", "bind"}
	}
	return append(all, slices.DeleteFunc(visible(options), func(option string) bool {
		name, _, _ := strings.Cut(option, "=")
		return strings.Contains(name, "pass")
	})...)
}

// differences describes the options that are not in effect. Options that the kernel does
// not show, because they are the default or are shown in another form, count as configured.
func differences(want, have []string) (all []string) {
	is, said := restricted(want)
	bind := isBind(want)
	for flag := range restrictions {
		on := slices.Contains(have, flag)
		switch {
		case on == is[flag] || bind && !said[flag]: // a bind mount inherits those of its source
		case on:
			all = append(all, flag+" is in effect")
		default:
			all = append(all, flag+" is not in effect")
		}
	}
	for _, option := range visible(want) {
		if restriction(option) {
			continue
		}
		if word := differs(option, have); word != "" {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}

// differs describes how an option is not in effect.
func differs(option string, have []string) string {
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

// sameValue compares values in equivalent forms: a size with its unit, a mode with or
// without a leading zero. A name and a number are not compared.
func sameValue(name, want, have string) bool {
	if want == have || strings.TrimLeft(want, "0") == strings.TrimLeft(have, "0") {
		return true
	}
	if strings.HasSuffix(want, "%") || strings.HasPrefix(have, want+".") { // vers=4 matches 4.2
		return true
	}
	w, numeric := size(want)
	h, shown := size(have)
	switch {
	case shown && !numeric:
		return true
	case name == "size": // rounded to whole pages, of up to 64 KiB
		return numeric && shown && h >= w && h-w < 64<<10
	}
	return numeric && shown && w == h
}

// size parses a number with an optional unit.
func size(text string) (int64, bool) {
	digits, shift := strings.TrimRight(strings.ToLower(text), "kmgt"), 0
	switch unit := strings.ToLower(text[len(digits):]); {
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
