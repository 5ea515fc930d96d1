package sysctl

import (
	"errors"
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][2]string{
		"net.ipv4.ip_forward":               {"net/ipv4/ip_forward", "net.ipv4.ip_forward"},
		"net/ipv4/ip_forward":               {"net/ipv4/ip_forward", "net.ipv4.ip_forward"},
		"net.ipv4.conf.eth0/100.forwarding": {"net/ipv4/conf/eth0.100/forwarding", "net.ipv4.conf.eth0/100.forwarding"},
		"net/ipv4/conf/eth0.100/forwarding": {"net/ipv4/conf/eth0.100/forwarding", "net.ipv4.conf.eth0/100.forwarding"},
	} {
		if got := [2]string{slashed(key), dotted(key)}; got != want {
			t.Errorf("forms of %s: %q, want %q", key, got, want)
		}
	}
	if got := (&Sysctl{Key: "net/ipv4/conf/eth0.100/forwarding"}).path(); got != "/etc/sysctl.d/99-posix-net.ipv4.conf.eth0,100.forwarding.conf" {
		t.Errorf("path of the file: %s, want the key with a comma instead of the slash", got)
	}
	for key, want := range map[string]string{"net...x": "empty", "net/./x": `"."`, "net/../x": `".."`} {
		if err := checkKey(key); err == nil || !strings.HasSuffix(err.Error(), "its parts must not be "+want) {
			t.Errorf("error of %s: %v, want one that ends with %s", key, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "# a.b = 1\n; a.b = 2\n\n a.b=3\r\n-a/c.d = 4\t 5 \n=6\nnothing\n-\na.b ="
	want := []assignment{{"a.b", "3"}, {"a.c/d", "4 5"}, {"a.b", ""}}
	if diff := cmp.Diff(want, parse(text), cmp.AllowUnexported(assignment{})); diff != "" {
		t.Errorf("assignments (-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		"":               "",
		"a.b = 1":        "1",
		"a/b =  1  2":    "1 2",
		"a.b=1\na.b=2":   "a.b = 1; a.b = 2",
		"a.c = 1":        "a.c = 1",
		"# a.b = 1\nx=y": "x = y",
	} {
		if got := persisted([]byte(text), "a.b"); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// TestOverridden checks that the last of several files with a key overrides the managed file, except for
// files that are hidden by a file in another directory.
func TestOverridden(t *testing.T) {
	t.Parallel()
	section := func(file, text string) string { return "#posix " + file + "\n" + text + "\n\n" }
	for name, tt := range map[string]struct{ printed, want string }{
		"nothing":           {"", ""},
		"itself":            {section("/etc/sysctl.d/99-posix-a.b.conf", "a.b = 1"), ""},
		"earlier":           {section("/etc/sysctl.d/10-x.conf", "a.b = 2"), ""},
		"later":             {section("/etc/sysctl.d/99-sysctl.conf", "c.d = 1\na/b = 2"), "/etc/sysctl.d/99-sysctl.conf"},
		"later, the same":   {section("/etc/sysctl.d/99-sysctl.conf", "a.b = 1"), ""},
		"the last decides":  {section("/usr/lib/sysctl.d/zz.conf", "a.b = 1") + section("/usr/lib/sysctl.d/99-z.conf", "a.b = 2"), ""},
		"another directory": {section("/usr/lib/sysctl.d/99-z.conf", "a.b = 2"), "/usr/lib/sysctl.d/99-z.conf"},
		"hidden":            {section("/etc/sysctl.d/99-z.conf", "# nothing") + section("/usr/lib/sysctl.d/99-z.conf", "a.b = 2"), ""},
		"/etc/sysctl.conf":  {section("/etc/sysctl.d/zz.conf", "a.b = 1") + section("/etc/sysctl.conf", "a.b = 2"), "/etc/sysctl.conf"},
		"hidden by managed": {section("/usr/lib/sysctl.d/99-posix-a.b.conf", "a.b = 2"), ""},
	} {
		file, _, is := (&Sysctl{Key: "a.b", Value: "1"}).overridden(tt.printed)
		if is != (tt.want != "") || is && file != tt.want {
			t.Errorf("%s: %q, %t, want %q", name, file, is, tt.want)
		}
	}
}

// TestReadLater checks which files on this host override the managed one.
func TestReadLater(t *testing.T) {
	roottest.Require(t)
	h, err := local.New()
	if err != nil {
		t.Fatal(err)
	}
	const vendor, masked, systemd = "/usr/lib/sysctl.d/zz.conf", "/etc/sysctl.d/zz.conf", "/run/systemd/system"
	for name, tt := range map[string]struct {
		at   string
		also string // link to /dev/null or directory that is created too; empty for none
		want bool
	}{
		"/etc/sysctl.conf":               {at: "/etc/sysctl.conf", want: true},
		"/etc/sysctl.conf, with systemd": {at: "/etc/sysctl.conf", also: systemd},
		"another directory":              {at: "/run/sysctl.d/zz.conf", want: true},
		"of a package":                   {at: vendor, want: true},
		"masked":                         {at: vendor, also: masked},
		"earlier":                        {at: "/etc/sysctl.d/10-x.conf"},
		"no suffix":                      {at: "/etc/sysctl.d/zz"},
	} {
		t.Run(name, func(t *testing.T) {
			made := []error{os.MkdirAll(path.Dir(tt.at), 0o755), os.WriteFile(tt.at, []byte("a.b = 2"), 0o644)}
			switch tt.also {
			case masked:
				made = append(made, os.MkdirAll(path.Dir(masked), 0o755), os.Symlink("/dev/null", masked))
			case systemd:
				made = append(made, os.MkdirAll(systemd, 0o755))
			}
			t.Cleanup(func() {
				if err := errors.Join(os.Remove(tt.at), os.RemoveAll(tt.also)); err != nil {
					t.Error(err)
				}
			})
			r, err := remotecmd.Shell(readFiles).Run(t.Context(), h)
			if err = errors.Join(append(made, err)...); err != nil {
				t.Fatal(err)
			}
			file, value, is := (&Sysctl{Key: "a.b", Value: "1"}).overridden(r.Stdout)
			if is != tt.want || is && (file != tt.at || value != "2") {
				t.Errorf("file %q, value %q, overridden %t, want %t; output of readFiles:\n%s", file, value, is, tt.want, r.Stdout)
			}
		})
	}
}

// FuzzKey checks that an assignment is parsed as it was written, and that no path is outside of /proc/sys.
func FuzzKey(f *testing.F) {
	f.Add("net.ipv4.ip_forward", "1", "")
	f.Add("net/ipv4/conf/eth0.100/forwarding", "4096\t1 2", "a.b = 1\n")
	f.Add("a/../b", "=", "-a/b = 1 # x\n;\n")
	f.Add("a..b", "", "a\n=\n")
	f.Fuzz(func(t *testing.T, key, value, text string) {
		for _, a := range parse(text) {
			if again := parse(a.String()); utf8.ValidString(text) && (len(again) != 1 || again[0] != a) && !strings.ContainsAny(a.key[:1], "#;-") {
				t.Errorf("%q is parsed as %+v, want %+v", a.String(), again, a)
			}
		}
		if checkKey(key) != nil || checkValue(value) != nil {
			return
		}
		if dotted(dotted(key)) != dotted(key) || slashed(dotted(key)) != slashed(key) {
			t.Errorf("%q is dotted %q, then %q; slashed %q, then %q, want both forms unchanged", key, dotted(key), dotted(dotted(key)), slashed(key), slashed(dotted(key)))
		}
		if at := root + "/" + slashed(key); path.Clean(at) != at || len(at) <= len(root)+1 {
			t.Errorf("path of %q is %q, want a path below %s", key, at, root)
		}
		s := Sysctl{Key: key, Value: value}
		if !s.has(s.wanted().text()) || persisted(s.wanted().text(), key) != plain(value) {
			t.Errorf("%q = %q is parsed as %+v, want the same assignment", key, value, parse(string(s.wanted().text())))
		}
		if err := checkFile(s.fileName()); err != nil {
			t.Errorf("file name %q of %q: %v", s.fileName(), key, err)
		}
	})
}
