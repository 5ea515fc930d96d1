package statefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/states"
)

// version is the only supported format version.
const version = "4"

// programVersion matches the values of terraform_version that Terraform and OpenTofu write.
var programVersion = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.~-]+)?(\+[0-9A-Za-z.~-]+)?$`)

// Read reads a state file. It returns ErrNoState for an empty file, an [*Error] for an
// invalid one, or an error that wraps that of the reader.
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
		return nil, fail("", "the file is not JSON")
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
		return fail("", "the state is encrypted. Decrypt it with the program that wrote it")
	}
	if !found {
		return fail("", "the file has no version, so it is not a state file")
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil || strings.Trim(n.String(), "0123456789") != "" || n == "" || raw[0] == '"' {
		return fail("version", "a whole number is required")
	}
	if len(n) == 1 && n < version {
		return fail("version", "format version %s is older than Terraform 0.12, and only version %s is supported. Upgrade the state with Terraform 0.12 or 0.13", n, version)
	}
	return fail("version", "format version %s is newer than the supported version %s", n, version)
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
		return nil, fail("terraform_version", "the value is not a program version")
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
		return fail(o.at("value"), "the value does not match its type: %s", problem(err))
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
		return fail(r.path, "the type or the name is invalid: %s", err)
	}
	m := s.EnsureModule(moduleAddr)
	var config addrs.AbsProviderConfig
	if provider != "" {
		if config, err = readProviderConfig(provider); err != nil {
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

// readProviderConfig reads the address of a provider configuration. Files that Terraform
// 0.12 wrote have the older form.
func readProviderConfig(text string) (addrs.AbsProviderConfig, error) {
	config, err := addrs.ParseAbsProviderConfigStr(text)
	if err != nil {
		if legacy, errLegacy := addrs.ParseLegacyAbsProviderConfigStr(text); errLegacy == nil {
			return legacy, nil
		}
	}
	return config, err
}

// readInstance reads one object. If ownProvider is set, the instance has its own provider,
// which is an instance of a provider configuration with for_each.
func readInstance(m *states.Module, resource addrs.Resource, ownProvider bool, f fields) error {
	key, err := readKey(f)
	if err != nil {
		return err
	}
	obj := &states.ResourceInstanceObjectSrc{}
	var status, deposed, provider string
	var dependencies []string
	if err := f.takeAll(
		into{"status", &status},
		into{"deposed", &deposed},
		into{"schema_version", &obj.SchemaVersion},
		into{"attributes_flat", &obj.AttrsFlat},
		into{"private", &obj.Private},
		into{"dependencies", &dependencies},
		into{"create_before_destroy", &obj.CreateBeforeDestroy},
		into{"skip_destroy", &obj.SkipDestroy},
		into{"identity_schema_version", &obj.IdentitySchemaVersion},
	); err != nil {
		return err
	}
	if obj.Status, err = readStatus(f, status); err != nil {
		return err
	}
	if err := readAttributes(f, obj); err != nil {
		return err
	}
	for i, text := range dependencies {
		addr, err := addrs.ParseAbsResourceStr(text)
		if err != nil {
			return fail(index(f.at("dependencies"), i), "%s", err)
		}
		obj.Dependencies = append(obj.Dependencies, addr.Config())
	}
	addr := resource.Instance(key)
	if ownProvider {
		if err := f.takeAll(into{"provider", &provider}); err != nil {
			return err
		}
		if err := readProviderInstance(m, addr, f, provider); err != nil {
			return err
		}
	}
	obj.Extra = f.rest()
	config := m.Resource(resource).ProviderConfig
	is := m.ResourceInstance(addr)
	switch {
	case deposed == "" && is.HasCurrent(), deposed != "" && is.HasDeposed(states.DeposedKey(deposed)):
		return fail(f.path, "%s is in the file twice", addr.Absolute(m.Addr))
	case deposed == "":
		m.SetResourceInstanceCurrent(addr, obj, config)
	case len(deposed) != len(states.NewDeposedKey()):
		return fail(f.at("deposed"), "a key of 8 characters is required")
	default:
		m.SetResourceInstanceDeposed(addr, states.DeposedKey(deposed), obj, config)
	}
	return nil
}

func readKey(f fields) (addrs.InstanceKey, error) {
	raw := f.take("index_key")
	if raw == nil {
		return addrs.NoKey, nil
	}
	if n, err := strconv.Atoi(string(raw)); err == nil && n >= 0 {
		return addrs.IntKey(n), nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return addrs.NoKey, fail(f.at("index_key"), "a string or a whole number that is not negative is required")
	}
	return addrs.StringKey(s), nil
}

func readStatus(f fields, status string) (states.ObjectStatus, error) {
	switch status {
	case "":
		return states.ObjectReady, nil
	case "tainted":
		return states.ObjectTainted, nil
	default:
		return 0, fail(f.at("status"), `"tainted" or no status is required`)
	}
}

// readAttributes reads the attributes, the identity and the sensitive paths.
func readAttributes(f fields, obj *states.ResourceInstanceObjectSrc) error {
	attrs := f.take("attributes")
	switch {
	case attrs != nil && attrs[0] != '{':
		return fail(f.at("attributes"), "an object is required")
	case attrs != nil && obj.AttrsFlat != nil:
		return fail(f.at("attributes_flat"), "both attributes and attributes_flat are set")
	case attrs != nil:
		obj.AttrsJSON = compact(attrs)
	case obj.AttrsFlat == nil:
		obj.AttrsJSON = []byte("{}")
	}
	identity := f.take("identity")
	if identity != nil && identity[0] != '{' {
		return fail(f.at("identity"), "an object is required")
	}
	obj.IdentityJSON = compact(identity)
	paths, err := readPaths(f, "sensitive_attributes")
	obj.AttrSensitivePaths = paths
	return err
}

func readProviderInstance(m *states.Module, addr addrs.ResourceInstance, f fields, text string) error {
	config, key, err := addrs.ParseAbsProviderInstanceStr(text)
	if err != nil {
		return fail(f.at("provider"), "%s", err)
	}
	r := m.Resource(addr.Resource)
	if known := r.ProviderConfig; !known.Provider.IsZero() && !known.Equal(config) {
		return fail(f.at("provider"), "all instances of a resource must have the same provider configuration, but another instance has %s", known)
	}
	r.ProviderConfig = config
	r.EnsureInstance(addr.Key).ProviderKey = key
	return nil
}
