//go:build linux

package fleettest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// mixedKind is a kind of resource in the mixed fleet. In config and importID, ID is the unique name of the
// resource, KEY is a unique public key, FINGERPRINT is the fingerprint of KEY, and SOURCE is a local directory.
type mixedKind struct {
	typeName string
	config   string
	importID string
	// drifts are programs that change the object on its host, with the expected plan. They may contain ID.
	drifts map[string]mixedDrift
}

type mixedDrift struct {
	args []string
	plan string
}

// text returns a text in which the placeholders are replaced for the resource with the ID.
func (k mixedKind) text(text, id, source string) string {
	key, fingerprint := keyOf(id)
	return strings.NewReplacer("ID", id, "KEY", key, "FINGERPRINT", fingerprint, "SOURCE", source).Replace(text)
}

// keyOf returns a public key without a known private key, and its fingerprint.
func keyOf(id string) (key, fingerprint string) {
	point := sha256.Sum256([]byte(id))
	blob := ssh.Marshal(struct {
		Type  string
		Point []byte
	}{ssh.KeyAlgoED25519, point[:]})
	sum := sha256.Sum256(blob)
	return ssh.KeyAlgoED25519 + " " + base64.StdEncoding.EncodeToString(blob), "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// drift returns the name of a random drift of m.kind, and the drift.
func (m mixed) drift(r *rand.Rand) (string, mixedDrift) {
	names := slices.Sorted(maps.Keys(m.kind.drifts))
	name := names[r.IntN(len(names))]
	return name, m.kind.drifts[name]
}

func (d mixedDrift) do(t *testing.T, root *roottest.Root, id string) {
	t.Helper()
	var args []string
	for _, arg := range d.args {
		args = append(args, strings.ReplaceAll(arg, "ID", id))
	}
	root.Run(t, args...)
}

const (
	created = "Create"
	updated = "Update"
)

// mixedPackages are the packages on the hosts of the mixed fleet.
var mixedPackages = []string{"cron", "sudo", "systemd"}

// mixedSetup has the commands that run on each host first.
var mixedSetup = [][]string{
	{"mkdir", "-p", "/srv/mixed"},
	{"sh", "-c", `printf 'first\nlast\n' >/srv/mixed/theirs`},
	{"useradd", "-m", "mixed"},
	{"sh", "-c", mixedArchive},
}

// mixedArchive creates a repository of empty packages in three versions each, and units
// of services that do nothing.
const mixedArchive = `set -e
mkdir -p /srv/archive /srv/empty/DEBIAN
cd /srv/archive
n=0
while [ $n -lt 50 ]; do
  id=$(printf r%02d $n)
  printf '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/theirs-$id.service
  for version in 1.0 1.1 2.0; do
    printf 'Package: mixed-%s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDescription: nothing\n' $id $version >/srv/empty/DEBIAN/control
    file=mixed-${id}_$version.deb
    dpkg-deb --root-owner-group -Znone --build /srv/empty $file >/dev/null
    cat /srv/empty/DEBIAN/control
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' $file $(stat -c %s $file) $(sha256sum <$file | cut -d' ' -f1)
  done
  n=$((n+1))
done >Packages
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d
echo 'deb [trusted=yes] file:/srv/archive ./' >/etc/apt/sources.list
apt-get -qq update
`

func mixedKinds() []mixedKind {
	return []mixedKind{
		{
			typeName: "posix_file", importID: "/srv/mixed/ID.txt",
			config: "path = \"/srv/mixed/ID.txt\"\ncontent = \"content of ID\\n\"\nmode = \"0640\"",
			drifts: map[string]mixedDrift{
				"content": {[]string{"sh", "-c", "echo other >/srv/mixed/ID.txt"}, updated},
				"mode":    {[]string{"chmod", "600", "/srv/mixed/ID.txt"}, updated},
				"removed": {[]string{"rm", "/srv/mixed/ID.txt"}, created},
			},
		},
		{
			typeName: "posix_directory", importID: "/srv/mixed/ID.d",
			config: "path = \"/srv/mixed/ID.d\"\nmode = \"2770\"\ngroup = \"adm\"",
			drifts: map[string]mixedDrift{
				"group":   {[]string{"chgrp", "daemon", "/srv/mixed/ID.d"}, updated},
				"mode":    {[]string{"chmod", "0", "/srv/mixed/ID.d"}, updated},
				"removed": {[]string{"rmdir", "/srv/mixed/ID.d"}, created},
			},
		},
		{
			typeName: "posix_symlink", importID: "/srv/mixed/ID.link",
			config: "path = \"/srv/mixed/ID.link\"\ntarget = \"ID.txt\"",
			drifts: map[string]mixedDrift{
				"target":  {[]string{"ln", "-sfn", "elsewhere", "/srv/mixed/ID.link"}, updated},
				"removed": {[]string{"rm", "/srv/mixed/ID.link"}, created},
			},
		},
		{
			typeName: "posix_file_block", importID: "/srv/mixed/theirs#ID",
			config: "path = \"/srv/mixed/theirs\"\nname = \"ID\"\ncontent = \"line of ID\\n\"",
			drifts: map[string]mixedDrift{
				"content": {[]string{"sed", "-i", "s/^line of ID$/other/", "/srv/mixed/theirs"}, updated},
				"removed": {[]string{"sed", "-i", "/ID/d", "/srv/mixed/theirs"}, created},
			},
		},
		{
			typeName: "posix_group", importID: "gID",
			config: "name = \"gID\"\nmembers = [\"daemon\"]",
			drifts: map[string]mixedDrift{
				"members": {[]string{"gpasswd", "-d", "daemon", "gID"}, updated},
				"removed": {[]string{"groupdel", "gID"}, created},
			},
		},
		{
			typeName: "posix_user", importID: "uID",
			config: "name = \"uID\"\ngroup = \"users\"\nshell = \"/bin/sh\"\ncomment = \"of ID\"\nexpires = \"2099-12-31\"",
			drifts: map[string]mixedDrift{
				"shell":   {[]string{"usermod", "-s", "/bin/false", "uID"}, updated},
				"expires": {[]string{"chage", "-E", "1", "uID"}, updated},
				"group":   {[]string{"usermod", "-g", "nogroup", "uID"}, updated},
				"removed": {[]string{"userdel", "uID"}, created},
			},
		},
		{
			typeName: "posix_sudoers", importID: "mixed-ID",
			config: "name = \"mixed-ID\"\ncontent = \"daemon ALL=(root) NOPASSWD: /bin/true ID\\n\"",
			drifts: map[string]mixedDrift{
				"content": {[]string{"sh", "-c", "echo >>/etc/sudoers.d/mixed-ID"}, updated},
				"mode":    {[]string{"chmod", "600", "/etc/sudoers.d/mixed-ID"}, updated},
				"removed": {[]string{"rm", "/etc/sudoers.d/mixed-ID"}, created},
			},
		},
		{
			typeName: "posix_cron", importID: "mixed-ID",
			config: "name = \"mixed-ID\"\nschedule = \"5 4 * * sun\"\nuser = \"daemon\"\ncommand = \"echo ID 50%\"",
			drifts: map[string]mixedDrift{
				"schedule": {[]string{"sed", "-i", "s/^5 4/6 4/", "/etc/cron.d/mixed-ID"}, updated},
				"removed":  {[]string{"rm", "/etc/cron.d/mixed-ID"}, created},
			},
		},
		{
			typeName: "posix_mount", importID: "/srv/mixed/ID.mount",
			config: "path = \"/srv/mixed/ID.mount\"\nsource = \"tmpfs\"\ntype = \"tmpfs\"\noptions = [\"size=1m\", \"nodev\"]",
			drifts: map[string]mixedDrift{
				"unmounted": {[]string{"umount", "/srv/mixed/ID.mount"}, updated},
				"line":      {[]string{"sed", "-i", "/ID.mount/s/nodev/noexec/", "/etc/fstab"}, updated},
			},
		},
		{
			typeName: "posix_package", importID: "mixed-ID",
			config: "name = \"mixed-ID\"\nversion = \"1.*\"\nhold = true",
			drifts: map[string]mixedDrift{
				"hold":    {[]string{"apt-mark", "unhold", "mixed-ID"}, updated},
				"removed": {[]string{"dpkg", "--force-hold", "--purge", "mixed-ID"}, created},
			},
		},
		{
			typeName: "posix_authorized_key", importID: "mixed/FINGERPRINT",
			config: "user = \"mixed\"\nkey = \"KEY of ID\"\noptions = [\"restrict\"]",
			drifts: map[string]mixedDrift{
				"options": {[]string{"sed", "-i", "/ID$/s/^restrict/no-pty/", "/home/mixed/.ssh/authorized_keys"}, updated},
				"removed": {[]string{"sed", "-i", "/ID$/d", "/home/mixed/.ssh/authorized_keys"}, created},
			},
		},
		{
			typeName: "posix_tree", importID: "/srv/mixed/ID.tree",
			config: "path = \"/srv/mixed/ID.tree\"\nsource = \"SOURCE\"\npurge = true",
			drifts: map[string]mixedDrift{
				"content": {[]string{"sh", "-c", "echo >>/srv/mixed/ID.tree/sub/file"}, updated},
				"mode":    {[]string{"chmod", "600", "/srv/mixed/ID.tree/top"}, updated},
				"more":    {[]string{"touch", "/srv/mixed/ID.tree/more"}, updated},
				"less":    {[]string{"rm", "-r", "/srv/mixed/ID.tree/sub"}, updated},
				"removed": {[]string{"rm", "-r", "/srv/mixed/ID.tree"}, created},
			},
		},
		{
			typeName: "posix_systemd_unit", importID: "mixed-ID.service",
			config: "name = \"mixed-ID.service\"\ncontent = \"[Service]\\nExecStart=/bin/true ID\\n\"",
			drifts: map[string]mixedDrift{
				"content": {[]string{"sh", "-c", "echo '#' >>/etc/systemd/system/mixed-ID.service"}, updated},
				"mode":    {[]string{"chmod", "600", "/etc/systemd/system/mixed-ID.service"}, updated},
				"removed": {[]string{"rm", "/etc/systemd/system/mixed-ID.service"}, created},
			},
		},
		{
			typeName: "posix_service", importID: "theirs-ID",
			config: "name = \"theirs-ID\"\nenabled = true\nrunning = false",
			drifts: map[string]mixedDrift{
				"disabled": {[]string{"systemctl", "disable", "theirs-ID"}, updated},
			},
		},
	}
}
