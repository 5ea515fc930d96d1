package archtest_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/posixform/terraform-provider-posix"

// External modules that a layer may import.
const (
	cty        = "github.com/zclconf/go-cty"
	protocol   = "github.com/hashicorp/terraform-plugin-go"
	acceptance = "github.com/hashicorp/terraform-plugin-testing"
	crypto     = "golang.org/x/crypto"
	logs       = "github.com/hashicorp/terraform-plugin-log"
	sys        = "golang.org/x/sys"
	plugin     = "github.com/hashicorp/go-plugin"
	hclog      = "github.com/hashicorp/go-hclog"
	mux        = "github.com/hashicorp/terraform-plugin-mux"
	grpc       = "google.golang.org/grpc"
	protobuf   = "google.golang.org/protobuf"
	hcl        = "github.com/hashicorp/hcl/v2"
	planFormat = "github.com/hashicorp/terraform-json"
	sdk        = "github.com/hashicorp/terraform-plugin-sdk/v2"
	versions   = "github.com/hashicorp/go-version"
	testingT   = "github.com/mitchellh/go-testing-interface"
	compare    = "github.com/google/go-cmp"
	txtar      = "golang.org/x/tools/txtar"
	yaml       = "github.com/zclconf/go-cty-yaml"
	analysis   = "golang.org/x/tools/go"
	globs      = "github.com/bmatcuk/doublestar/v4"
	charsets   = "golang.org/x/text"
)

// layer is a row of the table: a directory with everything below it, except for directories
// with their own rows.
type layer struct {
	dir    string
	height int
	// ours and others are the packages, of this module and of others, that non-test files
	// may import, including packages below them; those of this module must have a lower layer.
	// The standard library is always allowed, and so is the row's own directory.
	ours, others []string
}

// vocabulary is the part of layer 0 that rows with values or schemas may import.
var vocabulary = []string{"configschema", "diag"}

func with(base []string, more ...string) []string { return slices.Concat(base, more) }

// layers is the table of docs/architecture.md.
var layers = []layer{
	{dir: ".", height: 8, ours: []string{"resources", "provider", "serve"}},
	{dir: "cmd", height: 8},
	{dir: "internal/cmd", height: 8, ours: with(vocabulary, "resources", "runtime", "guard", "acctest/conformance", "provider", "tfprotov6", "objchange", "identity", "internal"), others: []string{analysis, planFormat}},
	{dir: "internal/demo", height: 8, ours: with(vocabulary, "runtime", "provider"), others: []string{cty}},
	{dir: "internal/hostile", height: 8},
	{dir: "internal/faulttest", height: 8},
	{dir: "internal/fleettest", height: 8},
	{dir: "examples", height: 8, ours: with(vocabulary, "runtime", "serve", "provider", "host", "acctest", "internal/sshdtest"), others: []string{acceptance}},
	{dir: "internal/resourcetest", height: 8, ours: with(vocabulary, "acctest", "addrs", "engine", "states", "guard", "objchange", "runtime", "provider", "serve", "host", "internal/roottest", "internal/sshdtest", "internal/tfcli", "internal/tier", "internal/transcript", "resources/hosts", "resources/lifecycle", "resources/remotecmd"), others: []string{acceptance, compare, cty, hcl, planFormat}},
	{dir: "internal/transcript", height: 6, ours: []string{"host", "resources/remotecmd"}},
	{dir: "internal/walkthrough", height: 8, ours: []string{"acctest"}},
	{dir: "acctest", height: 7, ours: with(vocabulary, "provider", "guard", "addrs", "states", "engine", "objchange", "identity", "tfprotov6", "internal/tfcli", "internal/protoversion"), others: []string{cty, protocol, acceptance, plugin, hclog, hcl, planFormat, sdk, versions, testingT, compare, txtar}},
	{dir: "acctest/conformance", height: 6, ours: with(vocabulary, "addrs", "states", "engine", "provider", "objchange", "identity"), others: []string{cty, hcl}},
	{dir: "engine/planjson", height: 6, ours: with(vocabulary, "addrs", "states", "engine", "provider"), others: []string{cty, planFormat}},
	{dir: "engine/scenarios", height: 6, ours: with(vocabulary, "addrs", "states", "engine", "provider", "identity", "internal/wire", "tfprotov6", "objchange"), others: []string{cty, protocol, hcl, txtar, grpc}},
	{dir: "engine", height: 5, ours: with(vocabulary, "addrs", "states", "engine/plans", "engine/configs", "engine/lang", "engine/tfdiags", "provider", "objchange", "identity", "internal/wire"), others: []string{cty, hcl}},
	{dir: "engine/plans", height: 4, ours: []string{"addrs", "states"}, others: []string{cty}},
	{dir: "engine/configs", height: 2, ours: []string{"addrs", "engine/lang"}, others: []string{cty, hcl, versions}},
	{dir: "engine/lang", height: 1, ours: with(vocabulary, "addrs", "marks"), others: []string{cty, hcl, yaml, globs, crypto, charsets}},
	{dir: "engine/tfdiags", height: 1, ours: with(vocabulary, "addrs"), others: []string{cty, hcl}},
	{dir: "resources", height: 5, ours: []string{"runtime", "host", "diag", "provider", "internal/graceperiod"}, others: []string{cty, logs}},
	{dir: "serve", height: 5, ours: []string{"provider", "guard", "tfprotov6/server", "tfprotov6/reattach"}, others: []string{protocol, plugin, hclog, sys}},
	{dir: "serve/protocol5", height: 5, ours: []string{"internal/protoversion"}, others: []string{protocol}},
	{dir: "tfprotov6", height: 5, ours: []string{"provider", "tfprotov6/client", "tfprotov6/server"}, others: []string{protocol}},
	{dir: "tfprotov6/client", height: 4, ours: with(vocabulary, "provider", "internal/wire", "tfprotov6/internal"), others: []string{cty, protocol, plugin}},
	{dir: "tfprotov6/server", height: 4, ours: with(vocabulary, "provider", "internal/wire", "tfprotov6/internal/call", "internal/graceperiod"), others: []string{cty, protocol}},
	{dir: "tfprotov6/internal/call", height: 3, ours: with(vocabulary, "provider", "internal/wire"), others: []string{cty, protocol, logs}},
	{dir: "tfprotov6/internal", height: 3, ours: []string{"internal/protoversion"}, others: []string{protocol, plugin, hclog, grpc, protobuf}},
	{dir: "tfprotov6/reattach", height: 0, others: []string{plugin}},
	{dir: "runtime", height: 3, ours: with(vocabulary, "provider", "objchange", "identity", "internal/wire"), others: []string{cty, logs}},
	{dir: "runtime/httptransport", height: 0, others: []string{logs}},
	{dir: "guard", height: 3, ours: with(vocabulary, "provider", "objchange", "identity", "internal/wire"), others: []string{cty}},
	{dir: "provider", height: 2, ours: with(vocabulary, "identity"), others: []string{cty}},
	{dir: "states", height: 3, ours: with(vocabulary, "addrs", "marks", "internal/wire"), others: []string{cty}},
	{dir: "internal/wire", height: 2, ours: with(vocabulary, "identity"), others: []string{cty, protocol}},
	{dir: "objchange", height: 1, ours: with(vocabulary), others: []string{cty}},
	{dir: "identity", height: 1, ours: with(vocabulary), others: []string{cty}},
	{dir: "host/local", height: 1, ours: []string{"host"}, others: []string{sys}},
	{dir: "host/memory", height: 1, ours: []string{"host"}},
	{dir: "host/sshhost", height: 2, ours: []string{"host", "host/sshhost/internal"}, others: []string{crypto, sys}},
	{dir: "host/sshhost/sshconfig", height: 1},
	{dir: "host/sshhost/internal", height: 1, ours: []string{"host", "internal/graceperiod"}, others: []string{crypto, sys}},
	{dir: "host/hosttest", height: 1, ours: []string{"host"}, others: []string{sys}},
	{dir: "addrs", height: 0, others: []string{cty}},
	{dir: "configschema", height: 0, others: []string{cty}},
	{dir: "diag", height: 0, others: []string{cty}},
	{dir: "marks", height: 0},
	{dir: "host", height: 0},
	{dir: "internal/graceperiod", height: 0},
	{dir: "internal/tfcli", height: 0},
	{dir: "internal/sshdtest", height: 0, others: []string{crypto, sys}},
	{dir: "internal/roottest", height: 1, ours: []string{"internal/tfcli", "internal/sshdtest", "internal/tier"}, others: []string{crypto, sys}},
	{dir: "internal/hostilessh", height: 0, others: []string{crypto}},
	{dir: "internal/nettest", height: 0, others: []string{sys}},
	{dir: "internal/protoversion", height: 0, others: []string{protocol, mux}},
	{dir: "internal/archtest", height: 0},
	{dir: "internal/tier", height: 0},
}

// within reports whether a slash-separated path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

// layerOf returns the deepest row that has the directory, and whether there is one. The root's
// row has only the root itself.
func layerOf(dir string) (layer, bool) {
	var best layer
	found := false
	for _, f := range layers {
		if (f.dir == dir || f.dir != "." && within(dir, f.dir)) && (!found || len(f.dir) > len(best.dir)) {
			best, found = f, true
		}
	}
	return best, found
}

// forbids returns the reason why the table rejects an import by the layer, or "" if it
// allows the import.
func (f layer) forbids(importPath string) string {
	if rest, ours := strings.CutPrefix(importPath, module); ours {
		dir := strings.TrimPrefix(rest, "/")
		target, _ := layerOf(dir)
		named := slices.ContainsFunc(f.ours, func(d string) bool { return within(dir, d) })
		if target.dir == f.dir || named && target.height < f.height {
			return ""
		}
		return f.dir + " may not import " + dir
	}
	if first, _, _ := strings.Cut(importPath, "/"); !strings.Contains(first, ".") {
		return ""
	}
	if slices.ContainsFunc(f.others, func(m string) bool { return within(importPath, m) }) {
		return ""
	}
	return f.dir + " may not import " + importPath
}

func TestImportsFollowTheLayers(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		f, ok := layerOf(p.dir)
		if !ok {
			t.Errorf("%s has no row in the table of layers: add one here and in docs/architecture.md", p.dir)
			continue
		}
		for _, file := range p.files {
			if file.test {
				continue
			}
			for _, path := range file.imports {
				if why := f.forbids(path); why != "" {
					t.Errorf("%s: %s", file.path, why)
				}
			}
		}
	}
}

// TestLayersDescend checks that each row of the table names only lower layers, which
// excludes import cycles.
func TestLayersDescend(t *testing.T) {
	t.Parallel()
	for _, f := range layers {
		for _, dir := range f.ours {
			below, ok := layerOf(dir)
			if ok && below.height >= f.height {
				t.Errorf("%s in layer %d may import %s in layer %d, want a lower layer", f.dir, f.height, dir, below.height)
			}
		}
	}
}

// TestProvidersContainNoClient checks that provider programs contain no protocol client,
// which has large dependencies.
func TestProvidersContainNoClient(t *testing.T) {
	t.Parallel()
	forbidden := []string{
		module + "/acctest", module + "/engine", module + "/tfprotov6/client", module + "/tfprotov6/internal/process",
		module + "/tfprotov6/internal/rpc", mux, hcl, acceptance,
	}
	for _, program := range []string{".", "./examples/authoring/first"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", program)
		cmd.Dir, cmd.Stderr = root, t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", program, err)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, module+"/tfprotov6/server") {
			t.Errorf("%s does not depend on tfprotov6/server", program)
		}
		for _, dep := range deps {
			if slices.ContainsFunc(forbidden, func(f string) bool { return within(dep, f) }) {
				t.Errorf("%s depends on %s, want no dependency on a part of a client", program, dep)
			}
		}
	}
}

// TestImportsOfHostAndProtocol checks that the table allows only packages for hosts to
// import package host, and only packages for the protocol to import terraform-plugin-go,
// and that only packages for the protocol import the msgpack codec.
func TestImportsOfHostAndProtocol(t *testing.T) {
	t.Parallel()
	importHost := []string{".", "resources", "host", "host/local", "host/memory", "host/sshhost", "host/sshhost/internal", "host/hosttest", "examples", "acctest", "internal/resourcetest", "internal/transcript"}
	importProtocol := []string{
		"internal/cmd", "serve", "serve/protocol5", "acctest", "tfprotov6", "tfprotov6/client", "tfprotov6/server", "tfprotov6/internal/call", "tfprotov6/internal",
		"internal/wire", "internal/protoversion", "engine/scenarios",
	}
	for _, f := range layers {
		if !slices.Contains(importHost, f.dir) && f.forbids(module+"/host") == "" {
			t.Errorf("%s may import host, which only packages for hosts may import", f.dir)
		}
		if !slices.Contains(importProtocol, f.dir) && f.forbids(protocol) == "" {
			t.Errorf("%s may import %s, which only packages for the protocol may import", f.dir, protocol)
		}
	}
	// The msgpack codec is a part of go-cty, which other layers may import too.
	for _, p := range packages(t) {
		if f, _ := layerOf(p.dir); slices.Contains(importProtocol, f.dir) {
			continue
		}
		for _, file := range p.files {
			if !file.test && slices.Contains(file.imports, cty+"/cty/msgpack") {
				t.Errorf("%s imports the msgpack codec, which only packages for the protocol may import", file.path)
			}
		}
	}
}
