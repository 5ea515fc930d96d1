package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Identity identifies an object. An object made by commands has no name on the host,
// so the ID is generated.
type Identity struct {
	// The `id` of the object. On import, any ID that no other object has: the host is not
	// contacted, and the object is assumed to be as configured.
	ID string
}

// Identity is part of [runtime.Identifier].
func (*Command) Identity(_ *lifecycle.Scope, out *Output) Identity { return Identity{ID: out.ID} }

// Moves is part of [runtime.Mover]: objects that provisioners created can be managed
// without creating them again.
func (*Command) Moves() []runtime.Move {
	type old struct{ ID string }
	adopt := func(_ context.Context, o old) (Command, *Output, error) {
		var c Command
		c.Defaults()
		return c, &Output{ID: o.ID}, nil
	}
	return []runtime.Move{
		runtime.MoveFrom("hashicorp/null", "null_resource", adopt),
		runtime.MoveFrom("builtin/terraform", "terraform_data", adopt),
	}
}
