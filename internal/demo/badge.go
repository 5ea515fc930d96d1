package demo

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Badge is an object whose name can change.
type Badge struct {
	// Serial is the number that never changes.
	Serial string
	// Name is printed on the badge.
	Name string
}

// BadgeOutput is an existing badge.
type BadgeOutput struct {
	// Serial is the number that never changes.
	Serial string
	// Name is printed on the badge.
	Name string
}

// BadgeID is the identity of a badge. It changes with the name.
type BadgeID struct {
	// Serial is the number that never changes.
	Serial string
	// Name is printed on the badge.
	Name *string
}

const badges = "badge"

// Constraints returns the limits of serial: an empty serial identifies no badge.
func (*Badge) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("serial", 1, 40)}
}

// ReplaceFields returns serial, which identifies a badge.
func (*Badge) ReplaceFields() []string { return []string{"serial"} }

// Create stores the badge. It replaces a badge with the same serial.
func (b *Badge) Create(_ context.Context, n *Notebook) (*BadgeOutput, error) {
	out := &BadgeOutput{b.Serial, b.Name}
	return out, n.put(badges, b.Serial, out)
}

// Read returns the stored badge with the serial of prior.
func (*Badge) Read(_ context.Context, n *Notebook, prior *BadgeOutput) (*BadgeOutput, error) {
	var out BadgeOutput
	return &out, n.get(badges, prior.Serial, &out)
}

// Update changes the name.
func (b *Badge) Update(ctx context.Context, n *Notebook, _ runtime.Prior[Badge, *BadgeOutput]) (*BadgeOutput, error) {
	return b.Create(ctx, n)
}

// Delete removes the badge. A missing badge is not an error.
func (*Badge) Delete(_ context.Context, n *Notebook, prior *BadgeOutput) error {
	return n.remove(badges, prior.Serial)
}

// Identity returns the identity of a badge: its serial and name.
func (*Badge) Identity(_ *Notebook, out *BadgeOutput) BadgeID {
	return BadgeID{out.Serial, &out.Name}
}

// MutableIdentity returns true: the identity changes with the name.
func (*Badge) MutableIdentity() bool { return true }

// IdentityVersion returns the version of BadgeID.
func (*Badge) IdentityVersion() int { return 1 }

// IdentityMigrations returns the migration that renames number to serial.
func (*Badge) IdentityMigrations() []runtime.Migration {
	type old struct{ Number string }
	type now struct{ Serial string }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, o old) (now, error) { return now{o.Number}, nil }),
	}
}
