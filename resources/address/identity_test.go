package address_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

func TestParseImportID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct {
		host, path string
		fails      string
	}{
		"/etc/motd":       {path: "/etc/motd"},
		"local:/etc/motd": {host: "local", path: "/etc/motd"},
		"/a:/b":           {path: "/a:/b"},
		"web:1:/b:/c":     {host: "web:1", path: "/b:/c"},
		"a@b.c:22:/d":     {host: "a@b.c:22", path: "/d"},
		"a@[::1]:22:/d":   {host: "a@[::1]:22", path: "/d"},
		"[::1]:/d":        {host: "[::1]", path: "/d"},
		"::1:/d":          {fails: "brackets"},
		"-x:/d":           {fails: "not a valid host name or address"},
		"a b:/d":          {fails: "not a valid host name or address"},
		"":                {fails: "local:/etc/motd"},
		":/etc":           {fails: "local:/etc/motd"},
		"etc/motd":        {fails: "local:/etc/motd"},
		"a/b:/etc":        {fails: "local:/etc/motd"},
		"local:":          {fails: "local:/etc/motd"},
		"local:/":         {fails: "root"},
		"local:/a/":       {fails: "write /a"},
		"/a\x00":          {fails: "NUL"},
	} {
		got, err := address.ParseImportID(id)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: error %v, want an error with %q", id, err, want.fails)
			}
			continue
		}
		name := ""
		if got.Host != nil {
			name = *got.Host
		}
		if err != nil || name != want.host || string(got.Path) != want.path {
			t.Errorf("%q: host %q, path %q (%v), want %q and %q", id, name, got.Path, err, want.host, want.path)
		}
	}
}

// FuzzParseImportID checks that an accepted ID is printed unchanged, and that its path is valid and is stored
// unchanged in a state.
func FuzzParseImportID(f *testing.F) {
	for _, id := range []string{"/a", "local:/a", "root@[::1]:22:/a", "a:/b:/c", "/e\u0301", "/\xff", "/a/.b.posix-tmp"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		got, err := address.ParseImportID(id)
		if err != nil {
			return
		}
		printed := string(got.Path)
		if got.Host != nil {
			printed = *got.Host + ":" + printed
		}
		if printed != id {
			t.Errorf("%q is printed as %q after it was parsed, want it unchanged", id, printed)
		}
		if stored := cty.StringVal(string(got.Path)).AsString(); stored != string(got.Path) {
			t.Errorf("path %q is stored as %q, want it unchanged", got.Path, stored)
		}
		if err := host.CheckTarget(string(got.Path)); err != nil {
			t.Errorf("path %q is not a valid target: %v", got.Path, err)
		}
		var again address.Path
		if err := again.UnmarshalText([]byte(got.Path)); err != nil || again != got.Path {
			t.Errorf("%q is %q after it was parsed again (%v), want it unchanged", got.Path, again, err)
		}
	})
}
