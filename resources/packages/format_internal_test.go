package packages

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sourceCmp = cmp.AllowUnexported(source{})

// TestRenderAndParse checks that parse is the inverse of render.
func TestRenderAndParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		format string
		source source
		text   string
	}{
		"apt": {"apt", source{
			uris: []string{"https://a", "https://b"}, suites: []string{"stable", "edge"}, components: []string{"main", "contrib"}, architectures: []string{"amd64"},
			trusted: true, disabled: true, options: map[string]string{"Languages": "none", "Types": "deb deb-src"}, key: "/etc/apt/keyrings/it.gpg",
		}, "Types: deb deb-src\nURIs: https://a https://b\nSuites: stable edge\nComponents: main contrib\nArchitectures: amd64\nSigned-By: /etc/apt/keyrings/it.gpg\nTrusted: yes\nEnabled: no\nLanguages: none\n"},
		"apt with a key in the file": {"apt", source{
			uris: []string{"https://a"}, suites: []string{"./"}, options: map[string]string{"Signed-By": "\n-----BEGIN\n\nabc\n-----END"},
		}, "Types: deb\nURIs: https://a\nSuites: ./\nSigned-By:\n -----BEGIN\n .\n abc\n -----END\n"},
		"dnf": {"dnf", source{
			uris: []string{"https://a", "https://b"}, description: "It is", trusted: true, disabled: true, options: map[string]string{"priority": "5"}, key: "/etc/pki/rpm-gpg/RPM-GPG-KEY-it",
		}, "[it]\nname=It is\nbaseurl=https://a https://b\nenabled=0\ngpgcheck=0\ngpgkey=file:///etc/pki/rpm-gpg/RPM-GPG-KEY-it\npriority=5\n"},
		"dnf in short": {"dnf", source{options: map[string]string{"metalink": "https://m?a=b"}}, "[it]\nname=it\nenabled=1\ngpgcheck=1\nmetalink=https://m?a=b\n"},
		"apk":          {"apk", source{uris: []string{"https://a", "https://b"}, key: "/etc/apk/keys/it.rsa.pub"}, "https://a\nhttps://b\n"},
		"pacman": {"pacman", source{
			uris: []string{"https://a/$arch", "https://b"}, trusted: true, options: map[string]string{"Usage": "Sync"},
		}, "[it]\nSigLevel = Never\nUsage = Sync\nServer = https://a/$arch\nServer = https://b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.source.name = "it"
			f := formats[tt.format]
			if got := f.render(tt.source); got != tt.text {
				t.Errorf("rendered:\n%s\nwant:\n%s", got, tt.text)
			}
			if diff := cmp.Diff(tt.source, f.parse("it", tt.text), sourceCmp); diff != "" {
				t.Errorf("parsed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseHandwritten checks that files that render has not written are parsed.
func TestParseHandwritten(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		format, text string
		want         source
	}{
		"apt": {"apt", "# a\n\ntypes: deb\nURIs:\n https://a\n https://b\nSuites:  stable \nComponents: main\nenabled: FALSE\nodd\n\nTypes: deb\nURIs: https://c\n", source{
			uris: []string{"https://a", "https://b"}, suites: []string{"stable"}, components: []string{"main"}, disabled: true,
		}},
		"dnf": {"dnf", "[other]\nbaseurl=https://o\n[it]\nname = It\n; a\nbaseurl=https://a,\n  https://b\nenabled = false\n", source{
			uris: []string{"https://a", "https://b"}, description: "It", disabled: true,
		}},
		"apk":    {"apk", "# a\n @edge https://a\n\nhttps://b\n", source{uris: []string{"@edge https://a", "https://b"}, key: "/etc/apk/keys/it.rsa.pub"}},
		"pacman": {"pacman", "[it]\nServer=https://a\n#Server=https://b\nSigLevel=Optional TrustAll\n[next]\nServer=https://n\n", source{uris: []string{"https://a"}, options: map[string]string{"SigLevel": "Optional TrustAll"}}},
	} {
		tt.want.name = "it"
		if diff := cmp.Diff(tt.want, formats[tt.format].parse("it", tt.text), sourceCmp); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzPacmanSection checks that the rest of a file is unchanged, byte for byte except for a newline at
// the end, after a section was added and removed.
func FuzzPacmanSection(f *testing.F) {
	for _, conf := range []string{"", "[options]\n", "[options]\nA = b", "a\n[it]\nServer = x\n# next\n[next]\n", "[it]", "\n\n", "[next]\n\n\n[it]\n"} {
		f.Add(conf)
	}
	var p pacmanSection
	text := p.render(source{name: "it", uris: []string{"https://a"}})
	f.Fuzz(func(t *testing.T, conf string) {
		with := p.replace([]byte(conf), "it", &text)
		got, found := p.extract(with, "it")
		if !found || got != text {
			t.Fatalf("%q: the section is %q after it was added, want %q; the file is %q", conf, got, text, with)
		}
		if again := p.replace(with, "it", &text); string(again) != string(with) {
			t.Errorf("%q: adding the section again changes the file to %q, want no change", with, again)
		}
		if _, before := p.extract([]byte(conf), "it"); before {
			return
		}
		want := conf
		if conf != "" && !strings.HasSuffix(conf, "\n") {
			want += "\n"
		}
		if without := string(p.replace(with, "it", nil)); without != want {
			t.Errorf("%q: after the section was removed, the file is %q, want %q", conf, without, want)
		}
	})
}

// FuzzFormats checks that the text of a rendered repository is unchanged after it was parsed and rendered
// again.
func FuzzFormats(f *testing.F) {
	for _, text := range []string{"Types: deb\nURIs: a\nSuites: b\nX: y\n z\n", "[it]\nbaseurl=a b\nname=c\nx=y\n", "https://a\n#b\n", "[it]\nServer = a\nX = y\n", "a: \n .\n b\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, format := range formats {
			rendered := format.render(format.parse("it", text))
			if again := format.render(format.parse("it", rendered)); again != rendered {
				t.Errorf("%s: %q is rendered as %q, and after that text was parsed again as %q, want no change", name, text, rendered, again)
			}
		}
	})
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	const pem = "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----\n"
	for text, want := range map[string]string{
		pem: "", "\n" + pem + "\n\n": "", "mQ==": "", "mQ\n==": "",
		"": "a key must be armored", "abc": "a key must be armored", "AAAA": "a key must be armored",
		"-----BEGIN RSA PRIVATE KEY-----\n": "private",
		"-----BEGIN CERTIFICATE-----\n":     "not a public key",
		"-----BEGIN PUBLIC KEY-----\nabc":   "its end is missing",
		"x -----BEGIN PUBLIC KEY-----\nabc": "a key must be armored",
	} {
		err := checkKey(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error of checkKey is %v, want %q", text, err, want)
		}
	}
	if !sameKey(pem, "\r\n"+strings.ReplaceAll(pem, "\n", "\r\n")) || sameKey(pem, "mQ==") || !sameKey("mQ==", "m Q==") || sameKey("mQ==", "mA==") {
		t.Error("sameKey does not ignore white space, or ignores another difference")
	}
	for _, key := range []string{pem, "mQ=="} {
		if got := keyText(keyFile(key)); got != key {
			t.Errorf("%q is %q after keyFile and keyText, want no change", key, got)
		}
	}
}
