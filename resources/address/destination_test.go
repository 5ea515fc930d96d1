package address_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/address"
)

// printed returns a destination in the form that ParseDestination accepts.
func printed(d address.Destination) string {
	text := d.Address
	if strings.Contains(text, ":") {
		text = "[" + text + "]"
	}
	if d.Port != 0 {
		text += ":" + strconv.Itoa(d.Port)
	}
	if d.User != "" {
		text = d.User + "@" + text
	}
	return text
}

func TestParseDestination(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]address.Destination{
		"web":                   {Address: "web"},
		"web.example.com":       {Address: "web.example.com"},
		"root@web":              {User: "root", Address: "web"},
		"web:2222":              {Address: "web", Port: 2222},
		"root@192.0.2.7:22":     {User: "root", Address: "192.0.2.7", Port: 22},
		"[::1]":                 {Address: "::1"},
		"root@[fe80::1%eth0]:1": {User: "root", Address: "fe80::1%eth0", Port: 1},
		"joe@corp.example@web":  {User: "joe@corp.example", Address: "web"},
		`CORP\joe@web:22`:       {User: `CORP\joe`, Address: "web", Port: 22},
		"_x-y.z":                {Address: "_x-y.z"},
	} {
		got, err := address.ParseDestination(text)
		if err != nil || got != want || printed(got) != text {
			t.Errorf("%q: %+v (%v), printed %q, want %+v, printed unchanged", text, got, err, printed(got), want)
		}
		if bare := !strings.ContainsAny(text, "@") && want.Port == 0; got.Bare() != bare {
			t.Errorf("%q: Bare returns %t, want %t", text, got.Bare(), bare)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "root@": "empty", "@web": "user", "-oProxyCommand=x": "not a valid host name or address", "root@-x": "not a valid host name or address",
		"-l@web": "user", "a b@web": "user", "bob:hidden@web": "schemes and passwords are not supported", "ssh://bob:hidden@web": "schemes and passwords are not supported", "web:": "port", "web:0": "port", "web:65536": "port", "web:022": "port", "web:+1": "port", "web:ssh": "port",
		"::1": "brackets: [::1]", "fe80::1:22": "brackets", "[web]": "not an IP address", "[web]:22": "not an IP address", "[::1": "", "[::1]22": "", "[]": "", "[]:22": "", "[fe80::1%a b]": "not an IP address", "[fe80::1%$(x)]:22": "not an IP address", ":22": "",
		"web/x": "not a valid host name or address", "a:b:c": "not a valid host name or address", "web;ls": "not a valid host name or address", "web\n": "not a valid host name or address", "$(x)": "not a valid host name or address", "wéb": "not a valid host name or address",
		"root@web:22:22": "not a valid host name or address", strings.Repeat("a", 256): "not a valid host name or address",
	} {
		if got, err := address.ParseDestination(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %+v (%v), want an error with %q", text, got, err, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"web1", "web-1", "web_1", "web1.example.com", "192.0.2.7", "_"} {
		if err := address.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if err := address.CheckHost(name); err != nil {
			t.Errorf("%q: CheckHost: %v", name, err)
		}
	}
	for _, name := range []string{"", "local", "a/b", "a@b", "a:1", "[::1]", "-a", ".a", "a b", "a\n", "ä", strings.Repeat("a", 256)} {
		if err := address.CheckName(name); err == nil {
			t.Errorf("%q is accepted as a name, want an error", name)
		}
	}
	if err := address.CheckHost("local"); err != nil {
		t.Error(err)
	}
}

// FuzzParseDestination checks that the printed form of a valid destination is the text that
// was parsed, that no part of this text can be interpreted as an option or a path, and that an
// import ID can contain the text.
func FuzzParseDestination(f *testing.F) {
	for _, text := range []string{"web", "root@web:22", "[::1]:22", "a@b@c", "-x", "[fe80::1%a]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := address.ParseDestination(text)
		if err != nil {
			return
		}
		again, err := address.ParseDestination(printed(d))
		if err != nil || again != d || printed(d) != text {
			t.Errorf("%q is parsed as %+v, and its printed form %q as %+v (%v), want the same", text, d, printed(d), again, err)
		}
		if strings.HasPrefix(d.User, "-") || strings.HasPrefix(d.Address, "-") || strings.ContainsAny(text, "/ \n\x00'\"`;&|<>()*?~#!") {
			t.Errorf("%q is accepted as a destination, want an error", text)
		}
		if id, err := address.ParseImportID(text + ":/x"); err != nil || *id.Host != text {
			t.Errorf("%q is not accepted in an import ID: %v", text, err)
		}
	})
}
