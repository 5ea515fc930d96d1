package ours

import (
	"context"
	"fmt"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// New builds the server, including the guard. If files is not nil, objects of the file type are
// real files; all other objects exist only in memory: the prior state is the real object.
func New(ctx context.Context, files *disk.Files) (tfplugin.ProviderServer, error) {
	return serve(ctx, runtime.Definition{
		Name: "bench",
		Resources: map[string]runtime.ResourceRegistration{
			"file":  fileResource(files),
			"fleet": runtime.MakeResource[Fleet, *FleetOutput, runtime.NoConfig](),
		},
		Functions: functions(),
	})
}

// NewLarge builds a server of n resource types, each with the attributes of a file,
// registered one by one.
func NewLarge(ctx context.Context, n int) (tfplugin.ProviderServer, error) {
	types := make(map[string]runtime.ResourceRegistration, n)
	for i := range n {
		types[fmt.Sprintf("type_%04d", i)] = fileResource(nil)
	}
	return serve(ctx, runtime.Definition{Name: "bench", Resources: types})
}

func fileResource(files *disk.Files) runtime.ResourceRegistration {
	return runtime.MakeResourceWith[File, *FileOutput, runtime.NoConfig](func() *File { return &File{files: files} })
}

func serve(ctx context.Context, def runtime.Definition) (tfplugin.ProviderServer, error) {
	p, err := runtime.New(def)
	if err != nil {
		return nil, err
	}
	return tfprotov6.NewServer(ctx, guard.Wrap(p))
}

// Item is an element of the lists that the functions total and grown take.
type Item struct {
	Name  string
	Size  int64
	Owner *string
}

func functions() map[string]runtime.FunctionRegistration {
	items := []runtime.Param{{Name: "items"}}
	return map[string]runtime.FunctionRegistration{
		"upper": runtime.MakeFunc(strings.ToUpper, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "text"}}}),
		"total": runtime.MakeFunc(total, runtime.FuncSpec{Parameters: items}),
		"grown": runtime.MakeFunc(grown, runtime.FuncSpec{Parameters: items}),
		"join":  runtime.MakeFunc(join, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "separator"}, {Name: "parts"}}}),
	}
}

func total(items []Item) int64 {
	sum := int64(0)
	for _, i := range items {
		sum += i.Size
	}
	return sum
}

func grown(items []Item) []Item {
	out := make([]Item, len(items))
	for i, item := range items {
		item.Size *= 2
		out[i] = item
	}
	return out
}

func join(separator string, parts ...string) string { return strings.Join(parts, separator) }
