package sidebyside

import (
	"context"
	"errors"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// Finder is who finds a mistake of an author, the earlier the better.
type Finder string

// The finders, in the order in which they have their chance.
const (
	Nowhere  Finder = "cannot be made"
	Start    Finder = "at start"
	UnitTest Finder = "by its own unit test"
	Server   Finder = "in its answer"
	Client   Finder = "by the client"
	Crash    Finder = "by a crash"
	Nobody   Finder = "by nobody"
)

// Finding is who found a mistake, and what was said of it.
type Finding struct {
	Finder Finder
	Said   string
}

// library is how a contender's resource with mistakes is built and tested.
type library struct {
	build    func(context.Context, mistake.Kind) (tfplugin.ProviderServer, error)
	unitTest func(context.Context, mistake.Kind) error
}

var libraries = map[string]library{
	"ours":      {mistake.Ours, func(context.Context, mistake.Kind) error { return nil }},
	"framework": {mistake.Framework, mistake.FrameworkUnitTest},
	"SDKv2":     {mistake.SDKv2, mistake.SDKv2UnitTest},
}

// Blame puts a mistake into the contender's resource, takes the resource through
// its life and says who was the first to find the mistake.
func Blame(ctx context.Context, c Contender, kind mistake.Kind) Finding {
	l := libraries[c.Title]
	server, err := l.build(ctx, kind)
	if why, ok := errors.AsType[mistake.Impossible](err); ok {
		return Finding{Nowhere, why.Error()}
	}
	if err != nil {
		return Finding{Start, err.Error()}
	}
	w, err := startWorld(ctx, server, "thing_thing", cty.EmptyObjectVal)
	if err != nil {
		return Finding{Start, err.Error()}
	}
	if err := l.unitTest(ctx, kind); err != nil {
		return Finding{UnitTest, err.Error()}
	}
	err = live(ctx, w)
	var broken *brokenRule
	switch {
	case err != nil && strings.Contains(err.Error(), panicked):
		return Finding{Crash, err.Error()}
	case errors.As(err, &broken):
		return Finding{Client, broken.Error()}
	case err != nil:
		return Finding{Server, err.Error()}
	}
	return Finding{Finder: Nobody}
}

// panicked is what tfprotov6.NewClient says of a panic that leaves a server. In
// a process of its own it would have been the end of the provider.
const panicked = "The provider panicked"

// live takes a thing through its life.
func live(ctx context.Context, w *world) error {
	for _, a := range []attrs{{"name": "one", "label": "a"}, {"name": "one", "label": "b"}, {"name": "one"}} {
		if err := w.made(ctx, a); err != nil {
			return err
		}
		if err := w.refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}
