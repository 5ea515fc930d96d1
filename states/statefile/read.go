package statefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/states"
)

// version is the only one that there has been since 2018.
const version = "4"

// programVersion is what the command line takes for the version of the program
// that wrote a file.
var programVersion = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.~-]+)?(\+[0-9A-Za-z.~-]+)?$`)

// Read reads a state file. It is ErrNoState where there is not a byte, else an
// error is an [*Error], or the reader's.
func Read(r io.Reader) (*File, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	if len(src) == 0 {
		return nil, ErrNoState
	}
	var raw json.RawMessage
	if err := json.Unmarshal(src, &raw); err != nil {
		if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
			return nil, syntax(src, at.Offset)
		}
		return nil, fail("", "the file is no JSON")
	}
	top, err := fieldsOf("", raw)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(top); err != nil {
		return nil, err
	}
	return readFile(top)
}

func checkVersion(top fields) error {
	raw, found := top.raw["version"]
	if found && string(raw) == version {
		delete(top.raw, "version")
		return nil
	}
	if _, encrypted := top.raw["encrypted_data"]; encrypted && !found {
		return fail("", "the state is encrypted; decrypt it with the program that wrote it")
	}
	if !found {
		return fail("", "the file has no version: it is no state")
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil || strings.Trim(n.String(), "0123456789") != "" || n == "" || raw[0] == '"' {
		return fail("version", "a whole number is required")
	}
	if len(n) == 1 && n < version {
		return fail("version", "version %s of the format is older than Terraform 0.12, and only version %s can be read; upgrade the state with Terraform 0.12 or 0.13", n, version)
	}
	return fail("version", "version %s of the format is newer than version %s, which is the newest that is known here", n, version)
}

func readFile(top fields) (*File, error) {
	f := &File{State: states.NewState()}
	outputs := map[string]json.RawMessage{}
	var resources []json.RawMessage
	if err := top.takeAll(
		into{"terraform_version", &f.TerraformVersion},
		into{"serial", &f.Serial},
		into{"lineage", &f.Lineage},
		into{"outputs", &outputs},
		into{"resources", &resources},
	); err != nil {
		return nil, err
	}
	if v := f.TerraformVersion; v != "" && !programVersion.MatchString(v) {
		return nil, fail("terraform_version", "it is not the version of a program")
	}
	f.CheckResults = compact(top.take("check_results"))
	f.Extra = top.rest()
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		if err := readOutput(f.State, "outputs."+name, name, outputs[name]); err != nil {
			return nil, err
		}
	}
	for i, raw := range resources {
		r, err := fieldsOf(index("resources", i), raw)
		if err != nil {
			return nil, err
		}
		if err := readResource(f.State, r); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func readOutput(s *states.State, path, name string, raw json.RawMessage) error {
	o, err := fieldsOf(path, raw)
	if err != nil {
		return err
	}
	var sensitive bool
	if err := o.takeAll(into{"sensitive", &sensitive}); err != nil {
		return err
	}
	ty, err := ctyjson.UnmarshalType(o.take("type"))
	if err != nil {
		return fail(o.at("type"), "the type of a value is required")
	}
	value, found := o.raw["value"] // null is a value
	if delete(o.raw, "value"); !found {
		return fail(o.at("value"), "a value is required")
	}
	v, err := wire.NewCodec(ty).DecodeJSON(value)
	if err != nil {
		return fail(o.at("value"), "the value is not of the type beside it: %s", problem(err))
	}
	s.RootModule().SetOutputValue(name, v, sensitive).Extra = o.rest()
	return nil
}

// readResource reads a resource with its instances.
func readResource(s *states.State, r fields) error {
	var module, mode, provider string
	var instances []json.RawMessage
	var addr addrs.Resource
	if err := r.takeAll(
		into{"module", &module},
		into{"mode", &mode},
		into{"type", &addr.Type},
		into{"name", &addr.Name},
		into{"provider", &provider},
		into{"instances", &instances},
	); err != nil {
		return err
	}
	moduleAddr, err := addrs.ParseModuleInstanceStr(module)
	if err != nil {
		return fail(r.at("module"), "%s", err)
	}
	switch mode {
	case "managed":
		addr.Mode = addrs.ManagedResourceMode
	case "data":
		addr.Mode = addrs.DataResourceMode
	default:
		return fail(r.at("mode"), `"managed" or "data" is required`)
	}
	if _, err := addrs.ParseAbsResourceStr(addr.String()); err != nil {
		return fail(r.path, "the type or the name is not one: %s", err)
	}
	m := s.EnsureModule(moduleAddr)
	var config addrs.AbsProviderConfig
	if provider != "" {
		if config, err = addrs.ParseAbsProviderConfigStr(provider); err != nil {
			return fail(r.at("provider"), "%s", err)
		}
	}
	m.SetResourceProvider(addr, config)
	m.Resource(addr).Extra = r.rest()
	for i, raw := range instances {
		inst, err := fieldsOf(index(r.at("instances"), i), raw)
		if err != nil {
			return err
		}
		if err := readInstance(m, addr, provider == "", inst); err != nil {
			return err
		}
	}
	if m.Resource(addr).ProviderConfig.Provider.IsZero() {
		return fail(r.at("provider"), "the address of a provider configuration is required")
	}
	return nil
}
