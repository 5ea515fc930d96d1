package roottest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSources checks that both formats of apt sources are parsed, and that third-party
// archives are omitted.
func TestSources(t *testing.T) {
	t.Parallel()
	type found struct {
		Mirror, Keyring, Components string
	}
	for name, tt := range map[string]struct {
		text  string
		parse func(string) []source
		want  []found
	}{
		"lines": {
			`# deb http://off.example/debian bookworm main
deb http://mirror.example/debian bookworm main contrib # all of it
deb-src http://mirror.example/debian bookworm main
deb	http://mirror.example/debian	bookworm-updates	main
`, parseList, []found{{"http://mirror.example/debian", "", "main contrib # all of it"}, {"", "", "main"}},
		},
		"options": {
			"deb [ arch=amd64 signed-by=/usr/share/keyrings/a.gpg ] https://mirror.example/debian bookworm main\n" +
				"deb [trusted=yes http://broken.example/debian bookworm main\n",
			parseList,
			[]found{{"https://mirror.example/debian", "/usr/share/keyrings/a.gpg", "main"}},
		},
		"others": {
			"deb http://docker.example/debian bookworm stable\ndeb http://sql.example/debian bookworm-pgdg main\ndeb http://a.example\n",
			parseList, nil,
		},
		"disks": {"deb cdrom:[Debian]/ bookworm main\ndeb file:/srv/debian bookworm main\n", parseList, nil},
		"file":  {"deb mirror+file:/etc/apt/mirrors/debian.list bookworm main\n", parseList, []found{{"", "", "main"}}},
		"stanzas": {
			`# the release
Types: deb deb-src
URIs: mirror+file:/etc/apt/mirrors/debian.list http://mirror.example/debian
Suites: bookworm bookworm-updates
# in between
Components: main contrib
Signed-By: /usr/share/keyrings/a.gpg

Types: deb
URIs: http://mirror.example/security
suites: bookworm-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQ==

Types: deb
URIs: http://off.example
Suites: bookworm
Components: main
Enabled: no

Types: deb-src
URIs: http://src.example
Suites: bookworm
Components: main
`, parseStanzas, []found{{"http://mirror.example/debian", "/usr/share/keyrings/a.gpg", "main contrib"}, {"", "", "main"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []found
			for _, s := range tt.parse(tt.text) {
				if !s.of("bookworm") {
					continue
				}
				mirror, _ := s.mirror("bookworm")
				got = append(got, found{mirror, s.keyring, strings.Join(s.components, " ")})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzSources checks that the raw text of a source parses to the same source.
func FuzzSources(f *testing.F) {
	f.Add("deb [a=b] http://mirror.example/debian bookworm main\n")
	f.Add("Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main\nSigned-By:\n -----BEGIN\n .\n mQ==\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) []source{parseList, parseStanzas} {
			for _, s := range parse(text) {
				again := parse(s.raw)
				if diff := cmp.Diff([]source{s}, again, cmp.AllowUnexported(source{})); diff != "" {
					t.Errorf("%q parsed again (-first +second):\n%s", s.raw, diff)
				}
			}
		}
	})
}
