package account

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place is part of [lifecycle.Object].
func (g *Group) Place() (*string, lifecycle.Key) { return g.Host, groupPlace(g.Name) }

// ValidateInputs is part of [runtime.InputValidator].
func (g *Group) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if runtime.PlansCreate(ctx) {
		scope.PlanAccount(lifecycle.AccountGroup, g.Name)
	}
	return nil
}

// Preflight is part of [lifecycle.Preflighter].
func (g *Group) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	s, err := look(ctx, h, question{database: group, key: g.Name})
	if err != nil {
		return lifecycle.IgnoreIfInspectable(err)
	}
	if err := s.manageable(); err != nil {
		return err
	}
	has, there := s.group(g.Name)
	switch {
	case there && !scope.Owned():
		return g.adoptable(s, has)
	case !there && s.nss != "":
		return s.elsewhere(group, g.Name)
	}
	if holder, taken := g.taken(s); taken && !scope.Manages(groupPlace(holder.name)) {
		return g.idTaken(s, holder)
	}
	return nil
}

// taken is the other group that has the number, if any.
func (g *Group) taken(s *system) (groupEntry, bool) {
	if g.GID == nil {
		return groupEntry{}, false
	}
	holder, taken := s.groupByID(*g.GID)
	return holder, taken && holder.name != g.Name
}

func (g *Group) idTaken(s *system, holder groupEntry) error {
	return diag.AttributeErrorf("gid", "GID %d belongs to the group %s on host %s. Choose another GID, or leave it out to use a free one",
		*g.GID, holder.name, s.host.Name())
}

// differences are what is not as configured, in words.
func (g *Group) differences(has groupEntry) []string {
	var differ []string
	if g.GID != nil && *g.GID != has.gid {
		differ = append(differ, fmt.Sprintf("gid is %d", has.gid))
	}
	if g.Members != nil && !sameSet(g.Members, has.members) {
		differ = append(differ, "members are "+quotedList(has.members))
	}
	return differ
}

// adoptable refuses a group that a create must leave alone.
func (g *Group) adoptable(s *system, has groupEntry) error {
	return conflict(s, "group", g.Name, g.differences(has))
}

// conflict is the error about an account that is there and not as configured.
func conflict(s *system, kind, name string, differ []string) error {
	if len(differ) == 0 {
		return nil
	}
	return diag.AttributeErrorf("name", "the %s %s already exists on host %s and differs from the configuration: %s. "+
		"Import it (id %q) to see in a plan what would change, or change the configuration",
		kind, name, s.host.Name(), strings.Join(differ, ", "), s.host.Name()+":"+name)
}

// Create is part of [runtime.TypedResource].
func (g *Group) Create(ctx context.Context, scope *lifecycle.Scope) (*GroupOutput, error) {
	h := scope.Host
	var out *GroupOutput
	err := alone(ctx, scope, func(ctx context.Context) error {
		s, err := g.look(ctx, h)
		if err != nil {
			return err
		}
		has, there := s.group(g.Name)
		switch {
		case there:
			err = g.adoptable(s, has)
		case s.nss != "":
			err = s.elsewhere(group, g.Name)
		default:
			if err = g.add(ctx, s); err == nil {
				// From here on there is a group, whatever comes next.
				out = &GroupOutput{Host: new(h.Name()), Name: g.Name}
				s, err = g.look(ctx, h)
			}
		}
		if err != nil {
			return err
		}
		out, err = g.settle(ctx, s)
		return err
	})
	return out, err
}

// add makes the group, without members.
func (g *Group) add(ctx context.Context, s *system) error {
	if holder, taken := g.taken(s); taken {
		return g.idTaken(s, holder)
	}
	args, system := []string{"groupadd"}, "-r"
	if s.busybox() {
		args, system = []string{"addgroup"}, "-S"
	}
	if g.System != nil && *g.System {
		args = append(args, system)
	}
	if g.GID != nil {
		args = append(args, "-g", strconv.FormatInt(*g.GID, 10))
	}
	return s.program(ctx, append(args, g.Name)...)
}

// look looks at the group, to change something.
func (g *Group) look(ctx context.Context, h host.Host) (*system, error) {
	s, err := look(ctx, h, question{database: group, key: g.Name})
	if err != nil {
		return nil, err
	}
	return s, s.manageable()
}

// settle makes the group as configured where it is not, and says how it is then.
func (g *Group) settle(ctx context.Context, s *system) (*GroupOutput, error) {
	has, there := s.group(g.Name)
	if !there {
		return nil, fmt.Errorf("the group %s was removed from host %s after the plan was made. Plan and apply again to create it", g.Name, s.host.Name())
	}
	if g.GID != nil && *g.GID != has.gid {
		if holder, taken := g.taken(s); taken {
			return groupOutput(s, has), g.idTaken(s, holder)
		}
		if err := g.renumber(ctx, s); err != nil {
			return groupOutput(s, has), err
		}
		has.gid = *g.GID
	}
	if g.Members != nil && !sameSet(g.Members, has.members) {
		if err := g.setMembers(ctx, s, has.members); err != nil {
			return groupOutput(s, has), err
		}
		has.members = sorted(g.Members)
	}
	return groupOutput(s, has), nil
}

func (g *Group) renumber(ctx context.Context, s *system) error {
	if err := s.needs("groupmod", "gid"); err != nil {
		return err
	}
	return s.program(ctx, "groupmod", "-g", strconv.FormatInt(*g.GID, 10), g.Name)
}

func (g *Group) setMembers(ctx context.Context, s *system, has []string) error {
	err := func() error {
		if s.tools["gpasswd"] && !s.busybox() {
			return s.program(ctx, "gpasswd", "-M", strings.Join(sorted(g.Members), ","), g.Name)
		}
		for _, name := range sorted(g.Members) {
			if !slices.Contains(has, name) {
				if err := s.program(ctx, "addgroup", name, g.Name); err != nil {
					return err
				}
			}
		}
		for _, name := range has {
			if !slices.Contains(g.Members, name) {
				if err := s.program(ctx, "delgroup", name, g.Name); err != nil {
					return err
				}
			}
		}
		return nil
	}()
	if err != nil {
		return diag.AttributeErrorf("members", "%w. Create the users first, for example with posix_user, and reference their names here", err)
	}
	return nil
}

// Read is part of [runtime.TypedResource].
func (g *Group) Read(ctx context.Context, scope *lifecycle.Scope, _ *GroupOutput) (*GroupOutput, error) {
	h := scope.Host
	s, err := look(ctx, h, question{database: group, key: g.Name})
	if err != nil {
		return nil, err
	}
	has, there := s.group(g.Name)
	switch {
	case there:
	case s.nss != "":
		return nil, s.elsewhere(group, g.Name)
	default:
		return nil, fmt.Errorf("%w: the group %s is not in /etc/group of host %s", runtime.ErrNotFound, g.Name, h.Name())
	}
	return groupOutput(s, has), nil
}

// Update is part of [runtime.TypedResource].
func (g *Group) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Group, *GroupOutput]) (*GroupOutput, error) {
	h := scope.Host
	// Members who are planned to stay are left alone: they may be the business of
	// others, who change them in the same run.
	members := g.Members
	if sameSet(members, prior.Observed.Members) {
		g.Members = nil
	}
	var out *GroupOutput
	err := alone(ctx, scope, func(ctx context.Context) error {
		s, err := g.look(ctx, h)
		if err == nil {
			out, err = g.settle(ctx, s)
		}
		return err
	})
	if err == nil {
		out.Members = members
	}
	return out, err
}

// Delete is part of [runtime.TypedResource].
func (g *Group) Delete(ctx context.Context, scope *lifecycle.Scope, _ *GroupOutput) error {
	h := scope.Host
	return alone(ctx, scope, func(ctx context.Context) error {
		s, err := look(ctx, h, question{database: group, key: g.Name})
		if err != nil {
			return err
		}
		has, there := s.group(g.Name)
		if !there {
			return nil
		}
		if err := s.manageable(); err != nil {
			return err
		}
		if users := s.primary(has.gid); len(users) > 0 {
			return fmt.Errorf("cannot delete the group %s on host %s: it is the primary group of %s. "+
				"Change their primary group first, or delete them; if they are managed here, reference the name of the group there",
				g.Name, h.Name(), listed(users))
		}
		program := "groupdel"
		if s.busybox() {
			program = "delgroup"
		}
		return s.program(ctx, program, g.Name)
	})
}

// groupOutput tells of a group.
func groupOutput(s *system, has groupEntry) *GroupOutput {
	return &GroupOutput{Host: new(s.host.Name()), Name: has.name, GID: &has.gid, Members: append([]string{}, has.members...)}
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Compact(sorted(a)), slices.Compact(sorted(b)))
}

// quotedList is names for a message; none is said in words.
func quotedList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return listed(names)
}
