package statefile

import (
	"encoding/json"
	"strconv"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
)

// readInstance reads one object. Where the resource has no provider, each of its
// instances has one: an instance of a provider configuration with for_each.
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
		return fail(f.path, "%s is in the file already", addr.Absolute(m.Addr))
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
		return 0, fail(f.at("status"), `"tainted" is required, or nothing`)
	}
}

// readAttributes takes what is of a schema's type, and is read by who has it.
func readAttributes(f fields, obj *states.ResourceInstanceObjectSrc) error {
	attrs := f.take("attributes")
	switch {
	case attrs != nil && attrs[0] != '{':
		return fail(f.at("attributes"), "an object is required")
	case attrs != nil && obj.AttrsFlat != nil:
		return fail(f.at("attributes_flat"), "there are attributes already")
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
		return fail(f.at("provider"), "all instances of a resource are of one provider configuration, and another one has %s", known)
	}
	r.ProviderConfig = config
	r.EnsureInstance(addr.Key).ProviderKey = key
	return nil
}
