package command

import (
	"context"

	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Identity tells one object from another. Nothing on a host says so of what
// commands have made: it is a name that was made up.
type Identity struct {
	// The attribute `id` of the object. For import it is any name that no other
	// object has; nothing is looked for, and the object is taken to be as configured.
	ID string
}

// Identity is part of [runtime.Identifier].
func (*Command) Identity(_ *target.Hosts, out *Output) Identity { return Identity{ID: out.ID} }

// Moves is part of [runtime.Mover]: what provisioners have made can be managed
// without being made again.
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
