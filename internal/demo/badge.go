package demo

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Badge is something whose name may change while it lives.
type Badge struct {
	// Serial is the number that never changes.
	Serial string
	// Name is printed on the badge.
	Name string
}

// BadgeOutput is a badge that exists.
type BadgeOutput struct {
	// Serial is the number that never changes.
	Serial string
	// Name is printed on the badge.
	Name string
}

// BadgeID has the name too, so it changes with it.
type BadgeID struct {
	// Serial is the number that never changes.
	Serial string
	// Name is printed on the badge.
	Name *string
}

const badges = "badge"

// SchemaVersion counts the changes of what is stored.
func (*Badge) SchemaVersion() int { return 0 }

// ReplaceFields names serial: another number is another badge.
func (*Badge) ReplaceFields() []string { return []string{"serial"} }

// Create makes the badge.
func (b *Badge) Create(_ context.Context, n *Notebook) (*BadgeOutput, error) {
	out := &BadgeOutput{b.Serial, b.Name}
	return out, n.put(badges, b.Serial, out)
}

// Read finds the badge.
func (*Badge) Read(_ context.Context, n *Notebook, prior *BadgeOutput) (*BadgeOutput, error) {
	var out BadgeOutput
	return &out, n.get(badges, prior.Serial, &out)
}

// Update prints another name on it.
func (b *Badge) Update(ctx context.Context, n *Notebook, _ runtime.Prior[Badge, *BadgeOutput]) (*BadgeOutput, error) {
	return b.Create(ctx, n)
}

// Delete throws the badge away.
func (*Badge) Delete(_ context.Context, n *Notebook, prior *BadgeOutput) error {
	return n.remove(badges, prior.Serial)
}

// Identity of a badge.
func (*Badge) Identity(_ *Notebook, out *BadgeOutput) BadgeID {
	return BadgeID{out.Serial, &out.Name}
}

// MutableIdentity says that the identity changes with the name.
func (*Badge) MutableIdentity() bool { return true }

// IdentityVersion counts the changes of BadgeID.
func (*Badge) IdentityVersion() int { return 1 }

// IdentityMigrations know that the serial number was called number once.
func (*Badge) IdentityMigrations() []runtime.Migration {
	type old struct{ Number string }
	type now struct{ Serial string }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, o old) (now, error) { return now{o.Number}, nil }),
	}
}
