package sidebyside

import (
	"context"
	"errors"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/mistake"
)

// Finder is the component that detects an author's mistake.
type Finder string

// The finders, from the earliest to the latest.
const (
	Nowhere  Finder = "cannot be made"
	Start    Finder = "at start"
	UnitTest Finder = "by a unit test of the library"
	Server   Finder = "in its response"
	Client   Finder = "by the client"
	Crash    Finder = "by a crash"
	Nobody   Finder = "not found"
)

// Finding is the finder of a mistake, with its message.
type Finding struct {
	Finder Finder
	Said   string
}

// library builds and tests a contender's resource with a mistake.
type library struct {
	build    func(context.Context, mistake.Kind) (tfplugin.ProviderServer, error)
	unitTest func(context.Context, mistake.Kind) error
}

var libraries = map[string]library{
	"ours":      {mistake.Ours, func(context.Context, mistake.Kind) error { return nil }},
	"framework": {mistake.Framework, mistake.FrameworkUnitTest},
	"SDKv2":     {mistake.SDKv2, mistake.SDKv2UnitTest},
}

// Blame runs the lifecycle of a contender's resource with a mistake, and returns the
// component that detects the mistake first.
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

// panicked is the message of tfprotov6.NewClient for a panic in a server. In a separate
// process, a panic would end the provider.
const panicked = "The provider panicked"

// live creates, updates and reads a thing.
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
