package hostinfo

import (
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
)

// newAddress returns the address in text, which may end with a prefix length. If text has none, prefix is the
// prefix length. newAddress returns false if text is not an address.
func newAddress(name, text, prefix string) (Address, bool) {
	if text, found, ok := strings.Cut(text, "/"); ok {
		return newAddress(name, text, found)
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return Address{}, false
	}
	ip = ip.WithZone("") // the zone is the name of the interface
	a := Address{Interface: name, Address: ip.String(), Family: "ipv4", Scope: "global"}
	if ip.Is6() {
		a.Family = "ipv6"
	}
	switch {
	case ip.IsLoopback():
		a.Scope = "host"
	case ip.IsLinkLocalUnicast():
		a.Scope = "link"
	}
	if n, err := strconv.ParseInt(prefix, 10, 64); err == nil && n >= 0 && n <= int64(ip.BitLen()) {
		a.PrefixLength = &n
	}
	return a, true
}

// ipAddresses parses the output of "ip -o address show":
//
//	2: eth0    inet 192.0.2.7/24 brd 192.0.2.255 scope global eth0\  valid_lft …
//
// Busybox also prints lines about the links.
func ipAddresses(text string) []Address {
	if text == "" {
		return nil
	}
	all := []Address{}
	for line := range strings.Lines(text) {
		word := strings.Fields(line)
		if len(word) < 4 || word[2] != "inet" && word[2] != "inet6" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(word[1], ":"), "@")
		address, prefix := word[3], ""
		for i := 4; i+1 < len(word); i++ {
			if word[i] == "peer" { // the prefix belongs to the peer address
				_, prefix, _ = strings.Cut(word[i+1], "/")
			}
		}
		if a, ok := newAddress(name, address, prefix); ok {
			all = append(all, a)
		}
	}
	return all
}

// ifconfigAddresses parses the output of "ifconfig -a", which differs between operating systems:
// "inet 192.0.2.7 netmask 0xffffff00" on macOS, FreeBSD and OpenBSD, "inet 192.0.2.7/24" on
// NetBSD, "netmask 255.255.255.0" on current Linux, "inet addr:192.0.2.7 … Mask:255.255.255.0"
// on older Linux and in busybox.
func ifconfigAddresses(text string) []Address {
	if text == "" {
		return nil
	}
	all, name := []Address{}, ""
	for line := range strings.Lines(text) {
		word := strings.Fields(line)
		if len(word) == 0 {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			name = strings.TrimSuffix(word[0], ":")
		}
		if len(word) < 2 || word[0] != "inet" && word[0] != "inet6" {
			continue
		}
		address := strings.TrimPrefix(word[1], "addr:")
		if address == "" && len(word) > 2 {
			address = word[2] // "inet6 addr: fe80::1/64"
		}
		if a, ok := newAddress(name, address, prefixOf(word)); ok {
			all = append(all, a)
		}
	}
	return all
}

// prefixOf returns the prefix length in a line of ifconfig, or an empty string if the line has none.
func prefixOf(word []string) string {
	for i, w := range word {
		if mask, ok := strings.CutPrefix(w, "Mask:"); ok {
			return maskLength(mask)
		}
		if i+1 == len(word) {
			break
		}
		switch w {
		case "prefixlen":
			return word[i+1]
		case "netmask":
			return maskLength(word[i+1])
		}
	}
	return ""
}

// maskLength returns the prefix length of a mask in hexadecimal or dotted notation, or an empty
// string if the mask is invalid.
func maskLength(mask string) string {
	if digits, ok := strings.CutPrefix(mask, "0x"); ok {
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return ""
		}
		return strconv.Itoa(bits.OnesCount32(uint32(n)))
	}
	ip, err := netip.ParseAddr(mask)
	if err != nil || !ip.Is4() {
		return ""
	}
	count := 0
	for _, b := range ip.As4() {
		count += bits.OnesCount8(b)
	}
	return strconv.Itoa(count)
}
