package packages_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/hostinfo"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// signed is the directory with repositories for apt, dnf and pacman, which replace those of
// the examples, and with the key that signs the repository for apt.
const signed = "/srv/signed"

var signedOnce = sync.OnceValue(func() error {
	if err := makeApt(signed, []deb{{name: "example-agent", version: "1.0"}}); err != nil {
		return err
	}
	_, err := shell(`cd "$1"
arch=$(dpkg --print-architecture)
export GNUPGHOME="$1/gpg"
mkdir -m 700 gpg
gpg --batch --quiet --passphrase '' --quick-generate-key test@localhost ed25519 sign never
gpg --armor --export > key.asc
gpg --export > key.gpg
gpg --batch --quiet --passphrase '' --quick-generate-key other@localhost ed25519 sign never
gpg --armor --export other@localhost > other.asc
ln -s . debian
for suite in stable old bookworm; do
  mkdir -p "dists/$suite/main/binary-$arch"
  cp Packages "dists/$suite/main/binary-$arch/Packages"
  ( cd "dists/$suite"
    { printf 'Origin: test\nSuite: %s\nCodename: %s\nArchitectures: %s\nComponents: main\nDate: %s\nSHA256:\n' "$suite" "$suite" "$arch" "$(date -Ru)"
      printf ' %s %s %s\n' "$(sha256sum < "main/binary-$arch/Packages" | cut -d' ' -f1)" "$(stat -c %s "main/binary-$arch/Packages")" "main/binary-$arch/Packages"
    } > Release
    gpg --batch --quiet --passphrase '' --default-key test@localhost --clearsign -o InRelease Release )
done
mkdir -p rpm pac/example/os/x86_64 pac/empty
createrepo_c -q rpm
cd pac; cp /srv/pac/curl-*.zst .; repo-add -q example/os/x86_64/example.db.tar.gz curl-*.zst
cp -P example/os/x86_64/* empty`, signed)
	return err
})

func useSigned(tb testing.TB) {
	tb.Helper()
	useApt(tb)
	useDnf(tb)
	usePacman(tb)
	if err := signedOnce(); err != nil {
		tb.Fatal(err)
	}
}

// replaceAddresses replaces the addresses and paths of an example with those of the test.
func replaceAddresses(text string) string {
	return strings.NewReplacer(
		"https://deb.example.com", "file:"+signed, "https://rpm.example.com/el9", "file://"+signed+"/rpm", "https://arch.example.com", "file://"+signed+"/pac",
		"${path.module}/example.asc", signed+"/key.asc",
	).Replace(text)
}

func exists(path string) func() (bool, error) {
	return func() (bool, error) {
		_, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

// edited returns a function that changes a file with sed.
func edited(script, path string) func() error { return do(`sed -i "$1" "$2"`, script, path) }

// TestRepositoryLifeWithApt runs the example of the registry page, with signature
// verification.
func TestRepositoryLifeWithApt(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	const file, key = "/etc/apt/sources.list.d/example.sources", "/etc/apt/keyrings/example.asc"
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   replaceAddresses(resourcetest.ExampleFile(t, "resources/posix_package_repository/resource.tf")),
		Address:  "posix_package_repository.example",
		ImportID: "example",
		Drifts: map[string]resourcetest.Drift{
			"removed":      {Make: do("rm " + file), Plan: "create", Check: prints("deb", "sed -n 's/^Types: //p' "+file)},
			"uris":         {Make: edited("s,^URIs:.*,URIs: https://elsewhere.example.com,", file), Plan: "update content uris"},
			"suites":       {Nightly: true, Make: edited("s,^Suites:.*,Suites: old,", file), Plan: "update content suites"},
			"components":   {Nightly: true, Make: edited("s,^Components:.*,Components: main contrib,", file), Plan: "update components content"},
			"architecture": {Nightly: true, Make: edited("$ a Architectures: riscv64", file), Plan: "update content", Check: prints("0", "grep -c riscv "+file+" || :")},
			"enabled":      {Nightly: true, Make: edited("$ a Enabled: no", file), Plan: "update content enabled"},
			"trusted":      {Nightly: true, Make: edited("$ a Trusted: yes", file), Plan: "update content trusted"},
			"options":      {Nightly: true, Make: edited("$ a Check-Date: no", file), Plan: "update content"},
			"signed by":    {Make: edited("/^Signed-By/d", file), Plan: "update content key"},
			"key":          {Make: do("cp " + signed + "/other.asc " + key), Plan: "update key", Check: do("cmp " + key + " " + signed + "/key.asc")},
			"no key":       {Make: do("rm " + key), Plan: "update content key", Check: do("cmp " + key + " " + signed + "/key.asc")},
			"comment":      {Make: edited("1 i # by hand", file), Plan: "update content"},
		},
		Exists: exists(file),
	}.Run(t)
	resourcetest.Imports(t, "resources/posix_package_repository", "posix_package_repository.example", "example")
	if there, _ := exists(key)(); there {
		t.Errorf("%s exists after the destroy, want no file", key)
	}
}

// TestRepositoryOfHost runs the example of the data source posix_host, with a repository for the
// distribution and the release of the host.
func TestRepositoryOfHost(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	withHost := runtime.Definition{Resources: types.Resources, DataSources: map[string]runtime.DataSourceRegistration{"host": hostinfo.DataSource()}}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(withHost)),
		Steps: []resource.TestStep{{
			Config: replaceAddresses(resourcetest.ExampleFile(t, "data-sources/posix_host/data-source.tf")),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr("posix_package_repository.app", "uris.0", "file:"+signed+"/debian"),
				resource.TestCheckResourceAttr("posix_package_repository.app", "suites.0", "bookworm"),
			),
		}},
	})
}

// TestRepositoryLifeWithDnf runs the example for dnf.
func TestRepositoryLifeWithDnf(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	setDistribution(t, "fedora")
	const file, key = "/etc/yum.repos.d/example.repo", "/etc/pki/rpm-gpg/RPM-GPG-KEY-example"
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   replaceAddresses(resourcetest.ExampleFile(t, "resources/posix_package_repository/resource_dnf.tf")),
		Address:  "posix_package_repository.example",
		ImportID: "example",
		Drifts: map[string]resourcetest.Drift{
			"removed":     {Make: do("rm " + file), Plan: "create"},
			"uris":        {Make: edited("s,^baseurl=.*,baseurl=https://elsewhere.example.com,", file), Plan: "update content uris"},
			"description": {Nightly: true, Make: edited("s,^name=.*,name=other,", file), Plan: "update content description"},
			"enabled":     {Nightly: true, Make: edited("s,^enabled=1,enabled=0,", file), Plan: "update content enabled"},
			"trusted":     {Nightly: true, Make: edited("s,^gpgcheck=1,gpgcheck=0,", file), Plan: "update content trusted", Check: prints("gpgcheck=1", "grep gpgcheck "+file)},
			"options":     {Nightly: true, Make: edited("s,^priority=.*,priority=1,", file), Plan: "update content options"},
			"key":         {Make: do("cp " + signed + "/other.asc " + key), Plan: "update key", Check: do("cmp " + key + " " + signed + "/key.asc")},
			"new section": {Make: edited("$ a [other]", file), Plan: "update content"},
		},
		Exists: exists(file),
	}.Run(t)
	if there, _ := exists(key)(); there {
		t.Errorf("%s exists after the destroy, want no file", key)
	}
}

// TestRepositoryLifeWithPacman runs the example for pacman, and checks that the rest of
// the file is not changed.
func TestRepositoryLifeWithPacman(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	setDistribution(t, "arch")
	before := mustShell(t, "cat /etc/pacman.conf")
	const file = "/etc/pacman.conf"
	resourcetest.Life{
		Provider: resourcetest.Provider(types),
		Config:   replaceAddresses(resourcetest.ExampleFile(t, "resources/posix_package_repository/resource_pacman.tf")),
		Address:  "posix_package_repository.example",
		ImportID: "example",
		Drifts: map[string]resourcetest.Drift{
			"removed": {Make: edited(`/^\[example\]/,$ d`, file), Plan: "create"},
			"uris":    {Make: edited("s,^Server = .*pac/.*,Server = file:///nowhere,", file), Plan: "update content uris"},
			"options": {Make: edited("s,^SigLevel = Required.*,SigLevel = Never,", file), Plan: "update content options trusted"},
			"more":    {Make: edited("$ a Usage = Sync", file), Plan: "update content options"},
			"comment": {Make: edited("$ a # what comes next", file)}, // a comment at the end is not part of the section
		},
		Exists: func() (bool, error) {
			out, err := shell("grep -c '^.example' " + file + " || :")
			return out != "0", err
		},
	}.Run(t)
	after := strings.ReplaceAll(mustShell(t, "cat "+file), "\n# what comes next", "")
	if strings.TrimSpace(after) != strings.TrimSpace(before) {
		t.Errorf("the destroy changes other lines of the file; before:\n%s\nafter:\n%s", before, after)
	}
}

// repositoryBlock returns a posix_package_repository with these lines.
func repositoryBlock(more string) string {
	return "resource \"posix_package_repository\" \"it\" {\n  name = \"it\"\n" + more + "\n}\n"
}

// TestRepositoryErrors checks which errors the plan or the apply returns, and that a failed apply leaves
// no files.
func TestRepositoryErrors(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	apt := func(more string) string {
		return repositoryBlock("uris = [\"file:" + signed + "\"]\nsuites = [\"stable\"]\n" + more)
	}
	of := func(manager, more string) string { return repositoryBlock("manager = \"" + manager + "\"\n" + more) }
	key := fmt.Sprintf("key = file(%q)\n", signed+"/key.asc")
	for name, tt := range map[string]struct {
		config  string
		planned bool
		want    string
	}{
		"no address":       {repositoryBlock(`suites = ["stable"]`), true, "apt requires an address"},
		"no suite":         {repositoryBlock(`uris = ["https://example.com"]`), true, "apt requires a suite"},
		"no components":    {apt(""), true, "the suite stable must be used with components"},
		"two words":        {apt(`components = ["main contrib"]`), true, "must be one word"},
		"components of ./": {repositoryBlock("uris = [\"https://example.com\"]\nsuites = [\"./\"]\ncomponents = [\"main\"]"), true, "must be used without components"},
		"reserved option":  {apt("components = [\"main\"]\noptions = { uris = \"x\" }"), true, "the option uris is set by the attribute uris"},
		"two keys":         {apt("components = [\"main\"]\noptions = { Signed-By = \"/x\" }\n" + key), true, "is set by the attribute key"},
		"option with \\n":  {apt("components = [\"main\"]\noptions = { \"A\\nB\" = \"x\" }"), true, `the name of the option "A\nB"`},
		"key and trust":    {apt("components = [\"main\"]\ntrusted = true\n" + key), true, "key has no effect if trusted is true"},
		"description":      {apt("components = [\"main\"]\ndescription = \"x\""), true, "not supported by apt"},
		"private key":      {apt("components = [\"main\"]\nkey = \"-----BEGIN PGP PRIVATE KEY BLOCK-----\\n\""), true, "this is a private key"},
		"incomplete key":   {apt("components = [\"main\"]\nkey = \"-----BEGIN PGP PUBLIC KEY BLOCK-----\\n\""), true, "the key is incomplete"},
		"key ID":           {apt("components = [\"main\"]\nkey = \"0xABCD\""), true, "a key must be armored text"},
		"path as name":     {strings.ReplaceAll(apt(`components = ["main"]`), `name = "it"`, `name = "../it"`), true, "a repository name"},
		"another key":      {apt("components = [\"main\"]\n" + strings.ReplaceAll(key, "key.asc", "other.asc")), false, "the repository it on host local was reverted"},
		"unreachable":      {repositoryBlock("uris = [\"file:/nowhere\"]\nsuites = [\"./\"]\ntrusted = true"), false, "was reverted"},
		"dnf suites":       {of("dnf", "uris = [\"https://example.com\"]\nsuites = [\"x\"]"), true, "not supported by dnf"},
		"dnf no address":   {of("dnf", ""), true, "dnf requires an address of the repository, or the option mirrorlist"},
		"dnf binary key":   {of("dnf", "uris = [\"https://example.com\"]\nkey = filebase64(\""+signed+"/key.gpg\")"), true, "dnf only supports armored keys"},
		"dnf unreachable":  {of("dnf", "uris = [\"file:///nowhere\"]\ntrusted = true"), false, "was reverted"},
		"dnf main":         {strings.ReplaceAll(of("dnf", `uris = ["https://example.com"]`), `"it"`, `"main"`), true, "dnf uses the name main for its own settings"},
		"apk disabled":     {of("apk", "uris = [\"https://example.com\"]\nenabled = false"), true, "not supported by apk"},
		"pacman key":       {of("pacman", "uris = [\"https://example.com\"]\n"+key), true, "pacman-key --add"},
		"apk key":          {of("apk", "uris = [\"https://example.com\"]\n"+key), true, "apk only supports PEM keys"},
		"pacman name":      {strings.ReplaceAll(of("pacman", `uris = ["https://example.com"]`), `"it"`, `"options"`), true, "pacman reserves the names options and local"},
		"pacman address":   {of("pacman", "uris = [\"file:///nowhere\"]"), false, "was reverted"},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Fails(t, resourcetest.Provider(types), tt.config, tt.planned, tt.want)
			for _, path := range []string{
				"/etc/apt/sources.list.d/it.sources", "/etc/apt/keyrings/it.asc", "/etc/yum.repos.d/it.repo", "/etc/pki/rpm-gpg/RPM-GPG-KEY-it",
			} {
				if there, err := exists(path)(); there || err != nil {
					t.Errorf("%s exists after the error: %t (%v), want false", path, there, err)
				}
			}
			if got := mustShell(t, "grep -c '^.it.$' /etc/pacman.conf || :"); got != "0" {
				t.Errorf("pacman.conf has %s sections [it] after the error, want 0", got)
			}
		})
	}
}

// TestRepositoryKeyChanges changes between kinds of keys and no key, and checks that a
// change that fails is reverted.
func TestRepositoryKeyChanges(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	config := func(more string) string {
		return repositoryBlock("uris = [\"file:" + signed + "\"]\nsuites = [\"stable\"]\ncomponents = [\"main\"]\n" + more)
	}
	const there = `ls /etc/apt/keyrings; grep Signed-By /etc/apt/sources.list.d/it.sources || :`
	check := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error { return prints(want, there)() }
	}
	binary := "it.gpg\nSigned-By: /etc/apt/keyrings/it.gpg"
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config(fmt.Sprintf("key = file(%q)", signed+"/key.asc")), Check: check("it.asc\nSigned-By: /etc/apt/keyrings/it.asc")},
			{Config: config(fmt.Sprintf("key = \"\\n${file(%q)}\\n\"", signed+"/key.asc")), PlanOnly: true},
			{Config: config(fmt.Sprintf("key = filebase64(%q)", signed+"/key.gpg")), Check: check(binary)},
			{Config: config(fmt.Sprintf("key = file(%q)", signed+"/other.asc")), ExpectError: resourcetest.WrappedText("was reverted")},
			{Config: config(fmt.Sprintf("key = filebase64(%q)", signed+"/key.gpg")), PlanOnly: true, PreConfig: func() {
				if err := prints(binary, there)(); err != nil {
					t.Error(err)
				}
			}},
			{Config: config("enabled = false"), Check: check("")},
		},
	})
}

// TestRepositoryIsNotAdopted checks that a different repository of the same name is an error.
func TestRepositoryIsNotAdopted(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	mustShell(t, `printf 'Types: deb\nURIs: https://a.example.com\nSuites: ./\n' > /etc/apt/sources.list.d/it.sources`)
	t.Cleanup(func() { mustShell(t, "rm -f /etc/apt/sources.list.d/it.sources") })
	resourcetest.Fails(t, resourcetest.Provider(types), repositoryBlock("uris = [\"https://b.example.com\"]\nsuites = [\"./\"]"), true,
		`the repository it is already configured on host local in /etc/apt/sources.list.d/it.sources, and differs from the configuration. To manage it, import it (id "local:it")`)
}

// TestTrustedRepository checks that trusted allows a repository whose signature cannot be verified.
func TestTrustedRepository(t *testing.T) {
	roottest.Require(t)
	useSigned(t)
	mustShell(t, "apt-get -q update") // removes the lists of the verified repository
	config := func(trusted bool) string {
		return repositoryBlock(fmt.Sprintf("uris = [\"file:%s\"]\nsuites = [\"stable\"]\ncomponents = [\"main\"]\ntrusted = %t\n", signed, trusted)) +
			"resource \"posix_package\" \"agent\" {\n  name = \"example-agent\"\n  depends_on = [posix_package_repository.it]\n}\n"
	}
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("posix", resourcetest.Provider(types)),
		Steps: []resource.TestStep{
			{Config: config(false), ExpectError: resourcetest.WrappedText("was reverted")},
			{Config: config(true), Check: func(*terraform.State) error { return prints("1.0", "cat /opt/deb/example-agent/version")() }},
		},
	})
}
