package floor

import (
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

const fleetName = "bench_fleet"

var nodeType = cty.Object(map[string]cty.Type{
	"host": cty.String,
	"port": cty.Number,
	"zone": cty.String,
	"probe": cty.Object(map[string]cty.Type{
		"path":    cty.String,
		"seconds": cty.Number,
	}),
	"disks": cty.List(cty.Object(map[string]cty.Type{
		"name":      cty.String,
		"gigabytes": cty.Number,
		"medium":    cty.String,
	})),
})

// fleetKind is the kind of fleets, which exist only in memory: the plan or the prior state
// is the real object.
var fleetKind = Kind{
	Type: cty.Object(map[string]cty.Type{
		"name":  cty.String,
		"nodes": cty.List(nodeType),
		"named": cty.Map(nodeType),
		"spare": cty.Set(nodeType),
		"size":  cty.Number,
	}),
	Key:    "name",
	Create: func(proposed cty.Value) cty.Value { return sized(proposed, cty.UnknownVal(cty.Number)) },
	Update: func(prior, proposed cty.Value) cty.Value {
		if prior.RawEquals(proposed) {
			return proposed
		}
		return sized(proposed, cty.UnknownVal(cty.Number))
	},
	Read: func(_ *disk.Files, prior cty.Value) (cty.Value, error) { return sized(prior, fleetSize(prior)), nil },
	Write: func(_ *disk.Files, planned cty.Value) (cty.Value, error) {
		return sized(planned, fleetSize(planned)), nil
	},
	Remove: func(*disk.Files, cty.Value) error { return nil },
}

func sized(fleet, size cty.Value) cty.Value {
	attrs := fleet.AsValueMap()
	attrs["size"] = size
	return cty.ObjectVal(attrs)
}

func fleetSize(fleet cty.Value) cty.Value {
	n := 0
	for _, name := range []string{"nodes", "named", "spare"} {
		if v := fleet.GetAttr(name); !v.IsNull() {
			n += v.LengthInt()
		}
	}
	return cty.NumberIntVal(int64(n))
}

func fleetSchema() *tfplugin.Schema {
	nodes := func(name string, mode tfplugin.SchemaObjectNestingMode) *tfplugin.SchemaAttribute {
		return &tfplugin.SchemaAttribute{Name: name, Optional: true, NestedType: &tfplugin.SchemaObject{Nesting: mode, Attributes: []*tfplugin.SchemaAttribute{
			{Name: "disks", Optional: true, NestedType: &tfplugin.SchemaObject{Nesting: tfplugin.SchemaObjectNestingModeList, Attributes: []*tfplugin.SchemaAttribute{
				{Name: "gigabytes", Type: tftypes.Number, Required: true},
				{Name: "medium", Type: tftypes.String, Optional: true},
				{Name: "name", Type: tftypes.String, Required: true},
			}}},
			{Name: "host", Type: tftypes.String, Required: true},
			{Name: "port", Type: tftypes.Number, Required: true},
			{Name: "probe", Optional: true, NestedType: &tfplugin.SchemaObject{Nesting: tfplugin.SchemaObjectNestingModeSingle, Attributes: []*tfplugin.SchemaAttribute{
				{Name: "path", Type: tftypes.String, Required: true},
				{Name: "seconds", Type: tftypes.Number, Required: true},
			}}},
			{Name: "zone", Type: tftypes.String, Optional: true},
		}}}
	}
	return &tfplugin.Schema{Block: &tfplugin.SchemaBlock{Attributes: []*tfplugin.SchemaAttribute{
		{Name: "name", Type: tftypes.String, Required: true},
		nodes("named", tfplugin.SchemaObjectNestingModeMap),
		nodes("nodes", tfplugin.SchemaObjectNestingModeList),
		{Name: "size", Type: tftypes.Number, Computed: true},
		nodes("spare", tfplugin.SchemaObjectNestingModeSet),
	}}}
}
