package objchange_test

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
)

func ExampleAssertPlanValid() {
	schema := &configschema.Block{Attributes: map[string]*configschema.Attribute{
		"path": {Type: cty.String, Required: true},
		"mode": {Type: cty.String, Optional: true, Computed: true},
	}}
	config := cty.ObjectVal(map[string]cty.Value{
		"path": cty.StringVal("/etc/motd"),
		"mode": cty.NullVal(cty.String),
	})
	planned := cty.ObjectVal(map[string]cty.Value{
		"path": cty.StringVal("/etc/motd.txt"), // not what is configured
		"mode": cty.StringVal("0644"),          // the provider may choose it
	})
	prior := cty.NullVal(schema.ImpliedType())
	for _, err := range objchange.AssertPlanValid(schema, prior, config, planned) {
		if at, ok := errors.AsType[cty.PathError](err); ok {
			fmt.Printf("%s: %v\n", diag.FormatPath(at.Path), err)
		}
	}
	// Output: path: the plan has a value that is neither the configured nor the prior value
}
