package sidebyside

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/framework"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/ours"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside/sdkv2"
)

// Contender is one of the three ways to write the resource.
type Contender struct {
	// Title is the name on the page.
	Title string
	// Dir is the directory of its code, relative to this package.
	Dir string
	// New starts its server.
	New func(context.Context) (tfplugin.ProviderServer, error)
}

// Contenders returns all three, starting with the runtime of this repository.
func Contenders() []Contender {
	return []Contender{
		{Title: "ours", Dir: "ours", New: ours.New},
		{Title: "framework", Dir: "framework", New: func(context.Context) (tfplugin.ProviderServer, error) { return framework.New() }},
		{Title: "SDKv2", Dir: "sdkv2", New: sdkv2.New},
	}
}
