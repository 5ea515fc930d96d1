package packages

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var installedCmp = gocmp.AllowUnexported(packageState{})

func TestParseInventory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		parse  func(string) inventory
		output string
		want   inventory
	}{
		"dpkg": {parseDpkg, "amd64\nlibc6\t2.36-9\tinstall\tinstalled\ti386\nlibc6\t2.36-8\tinstall\tinstalled\tamd64\nlibc6\t2.36-7\tinstall\tinstalled\tarm64\n" +
			"gone\t1\tdeinstall\tconfig-files\tall\nheld\t1:2\thold\tinstalled\tall\nhalf\t1\tinstall\thalf-configured\tall\nwaits\t1\tinstall\ttriggers-awaited\tall\nnever\t\tunknown\tnot-installed\tall\nodd\n", inventory{
			"libc6": {name: "libc6", version: "2.36-8"}, "gone": {name: "gone", version: "1", status: configOnly}, "held": {name: "held", version: "1:2", held: true},
			"half": {name: "half", version: "1", status: incomplete}, "waits": {name: "waits", version: "1"},
		}},
		"rpm": {parseRPM, "kernel\t6.1-1.el9\t200\nkernel\t6.0-1.el9\t100\nbash\t1:5.1-6.el9\t50\nzsh\t5.8-9\t50\njava\t0:21-1\t50\ngpg-pubkey\t1-2\t3\nodd\n=\n" +
			"# Added lock on\nbash-1:5.1-6.*\n!zsh-0:5.8-9.*\nother-0:1-1.*\nversion = \"1.0\"\n[[packages]]\nname = \"kernel\"\n", inventory{
			"kernel": {name: "kernel", version: "6.1-1.el9", held: true}, "bash": {name: "bash", version: "1:5.1-6.el9", held: true}, "zsh": {name: "zsh", version: "5.8-9"},
			"java": {name: "java", version: "21-1"},
		}},
		"dnf 5": {parseRPM, "bash\t5.2-1\t1\niftop\t1.0-2\t1\nacpi\t3.3-1\t1\nzsh\t5.9-1\t1\n=\nversion = \"1.0\"\n" +
			"[[packages]]\nname = \"bash\" # a shell\n[[packages.conditions]]\nkey = \"arch\"\ncomparator = \"=\"\nvalue = \"x86_64\"\n" +
			"[[packages.conditions]]\nkey = \"evr\" # or arch\ncomparator = \"=\"\nvalue = \"0:5.2-1\"\n" +
			"[[packages]]\nname = \"iftop\"\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"!=\"\nvalue = \"0:1.0-3\"\n" +
			"[[packages]]\nname = \"acpi\"\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \">=\"\nvalue = \"3\"\n" +
			"[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"<\"\nvalue = \"4\"\n[[packages]]\nname = 'zsh'\n", inventory{
			"bash": {name: "bash", version: "5.2-1", held: true}, "iftop": {name: "iftop", version: "1.0-2"}, "acpi": {name: "acpi", version: "3.3-1"},
			"zsh": {name: "zsh", version: "5.9-1", held: true},
		}},
		"pacman":      {parsePacman, "bash 5.2-1\nzsh 1:5.9-4\n=\nzsh\n", inventory{"bash": {name: "bash", version: "5.2-1"}, "zsh": {name: "zsh", version: "1:5.9-4", held: true}}},
		"pacman none": {parsePacman, "=\nzsh\n", inventory{}},
		"apk": {parseAPK, "musl-1.2.4-r2\npy3-foo-bar-2.0_rc1-r0\nlibstdc++-12.2-r1\nWARNING: odd\n=\nmusl\npy3-foo-bar@edge=2.0_rc1-r0\nlibstdc++=12.1-r1\n", inventory{
			"musl": {name: "musl", version: "1.2.4-r2", explicit: true}, "py3-foo-bar": {name: "py3-foo-bar", version: "2.0_rc1-r0", held: true, explicit: true, tag: "@edge"}, "libstdc++": {name: "libstdc++", version: "12.2-r1", explicit: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := gocmp.Diff(tt.want, tt.parse(tt.output), installedCmp); diff != "" {
				t.Errorf("inventory (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseAvailable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		parse  func(string) map[string][]string
		output string
		want   map[string][]string
	}{
		"madison": {
			parseMadison, "nginx | 1.26.0-1 | file:/srv ./ Packages\nnginx | 1.24.0-1 | file:/srv ./ Packages\nnginx | 1.24.0-1 | http://a b/main amd64 Packages\nnginx | 1.2-1 | http://a b/main Sources\nodd\n",
			map[string][]string{"nginx": {"1.26.0-1", "1.24.0-1"}},
		},
		"repoquery": {
			parseRepoquery, "nginx\t1.9-1\n\nnginx\t1.10-1\n\nnginx\t1.10-1\nbash\t1:5-1\nbash\t0:6-1\n",
			map[string][]string{"nginx": {"1.10-1", "1.9-1"}, "bash": {"1:5-1", "6-1"}},
		},
		"pacman": {
			parsePacmanInfo, "Repository      : extra\nName            : nginx\nVersion         : 1:1.26-1\nDescription     : Name : x\n\nRepository      : testing\nName            : nginx\nVersion         : 1.27-1\nProvides        : Version\n",
			map[string][]string{"nginx": {"1:1.26-1"}}, // pacman -S installs the version of the first repository
		},
		"apk": {
			parsePolicy, "nginx policy:\n  1.24.0-r6:\n    lib/apk/db/installed\n    https://a/main\n  1.24.0-r10:\n    https://a/main\n    https://b/main\n  1.20-r0:\n    lib/apk/db/installed\nbash policy:\n  5.2-r0:\n    @edge https://a/edge\n" +
				"curl policy:\n  8.9-r0:\n    @edge https://a/edge\n  8.5-r0:\n    @edge https://a/edge\n    https://a/main\n",
			map[string][]string{"nginx": {"1.24.0-r10", "1.24.0-r6"}, "bash": {"5.2-r0"}, "curl": {"8.5-r0"}}, // apk add curl=8.9-r0 fails
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := gocmp.Diff(tt.want, tt.parse(tt.output)); diff != "" {
				t.Errorf("available (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParse checks that the parsers of outputs do not panic, and return no empty names and no empty lists of versions.
func FuzzParse(f *testing.F) {
	for _, output := range []string{
		"amd64\na\t1\thold\tinstalled\tall\n", "a\t1-1\t5\n=\na-0:1-1.*\n[[packages]]\nname = \"a\"\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"=\"\n", "a 1\n=\na\n", "a-1-r0\n=\na=1-r0\n",
		"a | 1 | x Packages\n", "a\t0:1\n", "a\t0:\n", "Name : a\nVersion : 1\n", "a policy:\n  1-r0:\n    x\n", "=\n=\n", "-\n\t\n|||\n", "Remv a\nPurg b\n",
		"x is needed by (installed) y-1-1.noarch\nnot removed due to:\n  a: b\n",
	} {
		f.Add(output)
	}
	f.Fuzz(func(t *testing.T, output string) {
		for _, parse := range []func(string) inventory{parseDpkg, parseRPM, parsePacman, parseAPK} {
			for name, it := range parse(output) {
				if name == "" || it.name != name || strings.Contains(name, "\n") {
					t.Errorf("%q: the package %q is %+v, want the same name in both, not empty and without line breaks", output, name, it)
				}
			}
		}
		for _, parse := range []func(string) map[string][]string{parseMadison, parseRepoquery, parsePacmanInfo, parsePolicy} {
			for name, versions := range parse(output) {
				if name == "" || len(versions) == 0 || slices.Contains(versions, "") {
					t.Errorf("%q: %q has the versions %q, want a name that is not empty, at least one version, and no empty version", output, name, versions)
				}
			}
		}
		aptRemoves(output, nil)
		rpmNeeds(output)
		apkNeeds(output)
		chooseManager(output)
		section(output, "a")
	})
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	// Each version is older than the next.
	order := []string{
		"1.0~rc1-1", "1.0-1", "1.0^git1-1", "1.0a-1", "1.0.1-1", "1.0.1-2", "1.9-1", "1.9-10", "1.10-1", "2-1", "02.1-1", "1:0.1-1", "2:0~a-1",
	}
	for i, a := range order {
		for j, b := range order {
			if got, want := compareVersions(a, b), cmp.Compare(i, j); got != want {
				t.Errorf("%s to %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestCompareAPK checks the order that apk-package(5) describes, with suffixes that make
// a version older (alpha, beta, pre, rc) or newer (cvs, svn, git, hg, p).
func TestCompareAPK(t *testing.T) {
	t.Parallel()
	// Each version is older than the next.
	order := []string{
		"0.1.0_alpha_pre2", "0.1.0_alpha", "0.1.0_alpha2", "0.1.0_alpha2-r1", "0.1.0_beta", "0.1.0_rc9", "0.1.0_rc10", "0.1.0",
		"1.0.0_pre20191002222144-r0", "1.0.0_pre20210530193627-r0", "1.0.0", "1.02", "1.1", "1.2_alpha1-r0", "1.2_beta1-r0", "1.2_pre1-r0",
		"1.2_rc1-r0", "1.2_rc1-r1", "1.2", "1.2-r0", "1.2-r2", "1.2-r10", "1.2_cvs1-r0", "1.2_svn1-r0", "1.2_git1-r0", "1.2_hg1-r0", "1.2_p1-r0",
		"1.2_p9-r0", "1.2_p10-r0", "1.2a-r0", "1.2a_p1-r0", "1.2b-r0", "1.2.0-r0", "1.2.1-r0", "1.10-r0", "2-r0", "006", "013", "103", "20040401",
	}
	for i, a := range order {
		for j, b := range order {
			if got, want := compareAPK(a, b), cmp.Compare(i, j); got != want {
				t.Errorf("%s to %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestNewestAPK checks that parsePolicy sorts a release before its release candidate.
func TestNewestAPK(t *testing.T) {
	t.Parallel()
	const output = "foo policy:\n  1.2_rc1-r0:\n    https://example.org/edge\n  1.2-r0:\n    https://example.org/main\n  1.2_p1-r0:\n    https://example.org/main\n  1.1-r3:\n    https://example.org/main\n"
	want := []string{"1.2_p1-r0", "1.2-r0", "1.2_rc1-r0", "1.1-r3"}
	if got := parsePolicy(output)["foo"]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzCompareAPK checks that compareAPK is an order.
func FuzzCompareAPK(f *testing.F) {
	f.Add("1.0_rc1-r1", "1.0-r1", "1.0_p1")
	f.Add("1.02", "1.1", "1.0")
	f.Add("1_x", "1~ab", "1.é")
	f.Fuzz(func(t *testing.T, a, b, c string) { checkOrder(t, compareAPK, a, b, c) })
}

// FuzzCompareVersions checks that compareVersions is an order.
func FuzzCompareVersions(f *testing.F) {
	f.Add("1.0-1", "1.0~a-1", "1:0")
	f.Add("1^a", "1^", "1~^")
	f.Add("0", "00", "")
	f.Fuzz(func(t *testing.T, a, b, c string) { checkOrder(t, compareVersions, a, b, c) })
}

func checkOrder(t *testing.T, compare func(a, b string) int, a, b, c string) {
	t.Helper()
	ab, bc, ac := compare(a, b), compare(b, c), compare(a, c)
	if ab != -compare(b, a) || compare(a, a) != 0 {
		t.Errorf("compare is not antisymmetric: %q to %q: %d, in reverse: %d, %q to itself: %d", a, b, ab, compare(b, a), a, compare(a, a))
	}
	if ab <= 0 && bc <= 0 && ac > 0 {
		t.Errorf("compare is not transitive for %q, %q and %q: first to second %d, second to third %d, first to third %d", a, b, c, ab, bc, ac)
	}
}

func TestSetIgnored(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		conf  string
		names []string
		held  bool
		want  string
	}{
		"add first":         {"# a\n[options]\nArchitecture = auto\n[core]\n", []string{"a", "b"}, true, "# a\n[options]\nIgnorePkg = a b\nArchitecture = auto\n[core]\n"},
		"add second":        {"[options]\nIgnorePkg = a\n", []string{"a", "b"}, true, "[options]\nIgnorePkg = b\nIgnorePkg = a\n"},
		"add again":         {"[options]\nIgnorePkg = a\n", []string{"a"}, true, "[options]\nIgnorePkg = a\n"},
		"no final newline":  {"[options]", []string{"a"}, true, "[options]\nIgnorePkg = a\n"},
		"remove one of two": {"[options]\nIgnorePkg   = a b\n#IgnorePkg = a\n", []string{"a"}, false, "[options]\nIgnorePkg = b\n#IgnorePkg = a\n"},
		"remove all":        {"[options]\nIgnorePkg = a\nIgnorePkg = b a\n[core]\nIgnorePkg = a\n", []string{"a", "b"}, false, "[options]\n[core]\nIgnorePkg = a\n"},
		"no section":        {"[core]\nIgnorePkg = a", []string{"a"}, true, "[core]\nIgnorePkg = a\n[options]\nIgnorePkg = a\n"},
		"no file":           {"", []string{"a", "b"}, true, "[options]\nIgnorePkg = a b\n"},
		"other section":     {"[core]\nIgnorePkg = a\n[options]\n[options]\n", []string{"a"}, true, "[core]\nIgnorePkg = a\n[options]\nIgnorePkg = a\n[options]\n"},
		"no section left":   {"[core]\n", []string{"a"}, false, "[core]\n"},
		"keep others":       {"[options]\nIgnorePkg   =  c\n", []string{"a"}, false, "[options]\nIgnorePkg   =  c\n"},
	} {
		if got := setIgnored(tt.conf, tt.names, tt.held); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestChooseManager(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"= debian\n+ apt-get\n+ dnf\n+ pacman\n":                    "apt",
		"= fedora\n+ apt-get\n+ dnf\n":                              "dnf",
		"= \"rocky\"\n= \"rhel centos fedora\"\n+ dnf\n+ apt-get\n": "dnf",
		"= linuxmint\n= \"ubuntu debian\"\n+ apt-get\n+ pacman\n":   "apt",
		"= alpine\n+ apk\n":                                         "apk",
		"= manjaro\n= arch\n+ dnf\n+ pacman\n":                      "pacman",
		"+ pacman\n":                                                "pacman",
		"= debian\n+ dnf\n":                                         "dnf",
		"= debian\n":                                                "",
		"":                                                          "",
	} {
		if got := chooseManager(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

// TestRepositoryChecks checks that the errors name the rule that the value breaks.
func TestRepositoryChecks(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"a repository name must consist of up to 200 letters": checkRepositoryName(strings.Repeat("a", 201)),
		"must be a file name of up to 200 letters":            checkKeyName(".key"),
		"a single line that is not empty":                     checkLine(""),
		"must not be empty or have control characters":        checkOptions(map[string]string{"A": "b\tc"}),
		"lines must not have spaces at their ends":            checkOptions(map[string]string{"A": "b \nc"}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error of the check is %v, want an error with %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "g++", "libstdc++6", "0ad", "python3.11", "kernel-rt_x", "R-core", "_x"} {
		if err := checkName(name); err != nil {
			t.Errorf("the name %q is rejected: %v", name, err)
		}
	}
	for _, name := range []string{"", "-y", "--purge", "a-", "+a", "a b", "a*", "./a.deb", "/a", "@group", "a:i386", "a=1", "a/b", "a\n", "a'", "$(a)", "ä", "a?", "[a]", "~i", strings.Repeat("a", 201)} {
		if err := checkName(name); err == nil {
			t.Errorf("%q is accepted as a name, want an error", name)
		}
	}
	for text, matched := range map[string][]string{"1.2": {"1.2"}, "1.2*": {"1.2", "1.2.3", "1.20"}, "1:2-3~a+b^c_d": {"1:2-3~a+b^c_d"}, "0:1.2": {"1.2", "0:1.2"}} {
		var v Version
		if err := v.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("the version %q is rejected: %v", text, err)
		}
		for _, m := range matched {
			if !v.matches(m) {
				t.Errorf("%q does not match %q", v, m)
			}
		}
		if v.matches("1.1") || v.matches("2") {
			t.Errorf("%q matches 1.1 or 2, want no match", v)
		}
	}
	for _, text := range []string{"", "*", "1*2", "1 2", "-1", "=1", "1/2", "1\n", "latest ", "[1]", "1**"} {
		var v Version
		if err := v.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted as a version, want an error", text)
		}
	}
}
