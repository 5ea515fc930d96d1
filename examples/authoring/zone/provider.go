package zone

import (
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run ../../../cmd/describe Block Record RecordOutput RecordID Server ServerOutput Lookup LookupResult Key KeyOutput Module Search Reload Vault Reverse Name

// [new

// New returns the provider.
func New() (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name:   "zone",
		Config: runtime.MakeConfig(configure),
		Meta:   runtime.MakeMeta[Module](),
		Resources: map[string]runtime.ResourceRegistration{
			"record": runtime.MakeResource[Record, *RecordOutput, *Zone](),
			"server": runtime.MakeResource[Server, *ServerOutput, *Zone](),
		},
		DataSources: map[string]runtime.DataSourceRegistration{
			"record": runtime.MakeDataSource[Lookup, *LookupResult, *Zone](),
		},
		EphemeralResources: map[string]runtime.EphemeralRegistration{
			"key": runtime.MakeEphemeral[Key, *KeyOutput, Grant, *Zone](),
		},
		Functions: map[string]runtime.FunctionRegistration{
			"reverse": runtime.MakeFunc(Reverse, reverseSpec),
			"name":    runtime.MakeFunc(Name, nameSpec.With(runtime.Length("labels", 1, 63))),
		},
		Lists: map[string]runtime.ListRegistration{
			"record": runtime.MakeLister[Search, *RecordOutput, *Zone](),
		},
		Actions: map[string]runtime.ActionRegistration{
			"reload": runtime.MakeAction[Reload, *Zone](),
		},
		StateStores: map[string]runtime.StateStoreRegistration{
			"vault": runtime.MakeStateStore[Vault, *Zone](),
		},
	})
}

// new]
