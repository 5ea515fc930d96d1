package resources_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/roottest"
)

// mixedKind is what a resource of the mixed fleet can be. In its texts ID stands for
// what tells it from all others.
type mixedKind struct {
	typeName string
	config   string
	importID string
	// drifts are programs that change it on its machine, and what a plan then does.
	drifts map[string]mixedDrift
}

type mixedDrift struct {
	args []string
	plan string
}

func (k mixedKind) body(id string) string { return strings.ReplaceAll(k.config, "ID", id) }

func (k mixedKind) imported(id string) string { return strings.ReplaceAll(k.importID, "ID", id) }

// drift is one of them.
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

// mixedPackages are what the machines of the mixed fleet have.
var mixedPackages = []string{"cron", "sudo"}

// mixedSetup runs on each before anything is managed.
var mixedSetup = [][]string{
	{"mkdir", "-p", "/srv/mixed"},
	{"sh", "-c", `printf 'first\nlast\n' >/srv/mixed/theirs`},
}

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
	}
}
