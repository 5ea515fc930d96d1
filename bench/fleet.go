package bench

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

var nodeType = node(0, 0).Type()

// node is a nested object that has some more.
func node(i, port int) cty.Value {
	disk := func(name string, gigabytes int, medium cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"name":      cty.StringVal(name),
			"gigabytes": cty.NumberIntVal(int64(gigabytes)),
			"medium":    medium,
		})
	}
	zone := cty.NullVal(cty.String)
	if i%2 == 0 {
		zone = cty.StringVal("north")
	}
	return cty.ObjectVal(map[string]cty.Value{
		"host": cty.StringVal(fmt.Sprintf("node-%03d.example.com", i)),
		"port": cty.NumberIntVal(int64(port)),
		"zone": zone,
		"probe": cty.ObjectVal(map[string]cty.Value{
			"path":    cty.StringVal("/healthy"),
			"seconds": cty.NumberIntVal(30),
		}),
		"disks": cty.ListVal([]cty.Value{
			disk("root", 40, cty.StringVal("flash")),
			disk("data", 1000+i, cty.NullVal(cty.String)),
		}),
	})
}

// fleet returns an object with n nodes in the named collection; with changed, the node in
// the middle has another port.
func fleet(collection string, n int, changed bool, size cty.Value) cty.Value {
	list := make([]cty.Value, n)
	named := make(map[string]cty.Value, n)
	for i := range list {
		port := 8080
		if changed && i == n/2 {
			port = 9090
		}
		list[i] = node(i, port)
		named[fmt.Sprintf("node-%03d", i)] = list[i]
	}
	attrs := map[string]cty.Value{
		"name":  cty.StringVal("web"),
		"nodes": cty.NullVal(cty.List(nodeType)),
		"named": cty.NullVal(cty.Map(nodeType)),
		"spare": cty.NullVal(cty.Set(nodeType)),
		"size":  size,
	}
	switch collection {
	case "list":
		attrs["nodes"] = cty.ListVal(list)
	case "map":
		attrs["named"] = cty.MapVal(named)
	case "set":
		attrs["spare"] = cty.SetVal(list)
	}
	return cty.ObjectVal(attrs)
}

// fleets returns the lifecycles of objects with nested objects in a list, a map and a set;
// the change is one attribute of one nested object.
func fleets(n int) []life {
	var out []life
	for _, collection := range []string{"list", "map", "set"} {
		var (
			null    = cty.NullVal(cty.Number)
			unknown = cty.UnknownVal(cty.Number)
			size    = cty.NumberIntVal(int64(n))
		)
		out = append(out, life{
			typeName:  "bench_fleet",
			size:      fmt.Sprintf("%s-of-%d", collection, n),
			config:    fleet(collection, n, false, null),
			created:   fleet(collection, n, false, unknown),
			state:     fleet(collection, n, false, size),
			config2:   fleet(collection, n, true, null),
			proposed2: fleet(collection, n, true, size),
			updated:   fleet(collection, n, true, unknown),
			state2:    fleet(collection, n, true, size),
		})
	}
	return out
}
