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

// Place implements [lifecycle.Object].
func (g *Group) Place() (*string, lifecycle.Key) { return g.Host, groupKey(g.Name) }

// ValidateInputs implements [runtime.InputValidator].
func (g *Group) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	g.Announce(ctx, scope)
	return nil
}

// Announce implements [lifecycle.Announcer]. It announces a group to be created to the plans of
// other resources.
func (g *Group) Announce(ctx context.Context, scope *lifecycle.Scope) {
	switch {
	case !runtime.PlansCreate(ctx):
	case g.Name == "": // unknown
		scope.PlanAnyAccount()
	default:
		scope.PlanAccount(lifecycle.AccountGroup, g.Name)
	}
}

// Preflight implements [lifecycle.Preflighter].
func (g *Group) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	s, err := read(ctx, h, query{database: group, key: g.Name})
	if err != nil {
		return lifecycle.ConnectionError(err)
	}
	if err := s.checkManageable(); err != nil {
		return err
	}
	has, there := s.group(g.Name)
	switch {
	case there && !scope.Owned():
		return g.checkAdoptable(s, has)
	case !there && s.nss != "":
		return s.notLocalError(group, g.Name)
	}
	if holder, taken := g.idHolder(s); taken && !scope.Manages(groupKey(holder.name)) {
		return g.idTakenError(s, holder)
	}
	return nil
}

// idHolder returns the other group with the configured GID, if any.
func (g *Group) idHolder(s *hostAccounts) (groupEntry, bool) {
	if g.GID == nil {
		return groupEntry{}, false
	}
	holder, taken := s.groupByID(*g.GID)
	return holder, taken && holder.name != g.Name
}

func (g *Group) idTakenError(s *hostAccounts, holder groupEntry) error {
	return diag.AttributeErrorf("gid", "GID %d belongs to the group %s on host %s. Choose another GID, or leave gid out to use a free GID",
		*g.GID, holder.name, s.host.Name())
}

// differences describes the attributes that differ from the configuration.
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

// checkAdoptable returns an error if a create would have to change an existing group.
func (g *Group) checkAdoptable(s *hostAccounts, has groupEntry) error {
	return conflictError(s, "group", g.Name, g.differences(has))
}

// conflictError returns the error for an existing account with differences from the
// configuration, or nil if there are none.
func conflictError(s *hostAccounts, kind, name string, differ []string) error {
	if len(differ) == 0 {
		return nil
	}
	return lifecycle.ConflictErrorf("name", "the %s %s already exists on host %s and differs from the configuration: %s. "+
		"Import it (id %q) to see in a plan what would change, or change the configuration",
		kind, name, s.host.Name(), strings.Join(differ, ", "), s.host.Name()+":"+name)
}

// Create implements [runtime.TypedResource].
func (g *Group) Create(ctx context.Context, scope *lifecycle.Scope) (*GroupOutput, error) {
	h := scope.Host
	var out *GroupOutput
	err := withLock(ctx, scope, func(ctx context.Context) error {
		s, err := g.read(ctx, h)
		if err != nil {
			return err
		}
		has, there := s.group(g.Name)
		switch {
		case there:
			err = g.checkAdoptable(s, has)
		case s.nss != "":
			err = s.notLocalError(group, g.Name)
		default:
			if err = g.add(ctx, s); err == nil || s.addedDespite(ctx, query{database: group, key: g.Name}, err) {
				// The group is in the state even if the tool or the next step fails.
				out = &GroupOutput{Host: new(h.Name()), Name: g.Name}
			}
			if err == nil {
				s, err = g.read(ctx, h)
			}
		}
		if err != nil {
			return err
		}
		out, err = g.apply(ctx, s)
		return err
	})
	return out, err
}

// add creates the group with its members.
func (g *Group) add(ctx context.Context, s *hostAccounts) error {
	if holder, taken := g.idHolder(s); taken {
		return g.idTakenError(s, holder)
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
	steps := []step{{args: append(args, g.Name)}}
	if len(g.Members) > 0 {
		steps = append(steps, g.memberSteps(s, nil)...)
	}
	return s.runSteps(ctx, "", steps...)
}

// read returns the accounts for a change of the group, and an error if the provider cannot
// manage them.
func (g *Group) read(ctx context.Context, h host.Host) (*hostAccounts, error) {
	s, err := read(ctx, h, query{database: group, key: g.Name})
	if err != nil {
		return nil, err
	}
	return s, s.checkManageable()
}

// apply changes the group to the configured state. It returns the state of the group even
// after an error, if the group exists.
func (g *Group) apply(ctx context.Context, s *hostAccounts) (*GroupOutput, error) {
	has, there := s.group(g.Name)
	if !there {
		return nil, fmt.Errorf("the group %s was removed from host %s after the plan was made. Plan and apply again to create it", g.Name, s.host.Name())
	}
	if g.GID != nil && *g.GID != has.gid {
		if holder, taken := g.idHolder(s); taken {
			return groupOutput(s, has), g.idTakenError(s, holder)
		}
		if err := g.setGID(ctx, s); err != nil {
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

func (g *Group) setGID(ctx context.Context, s *hostAccounts) error {
	if err := s.requireTool("groupmod", "gid"); err != nil {
		return err
	}
	return s.program(ctx, "groupmod", "-g", strconv.FormatInt(*g.GID, 10), g.Name)
}

func (g *Group) setMembers(ctx context.Context, s *hostAccounts, has []string) error {
	for _, it := range g.memberSteps(s, has) {
		if err := s.runSteps(ctx, "", it); err != nil {
			return err
		}
	}
	return nil
}

// memberSteps returns the steps that change the members of the group from has to the configured ones.
func (g *Group) memberSteps(s *hostAccounts, has []string) []step {
	if s.tools["gpasswd"] && !s.busybox() {
		return []step{{[]string{"gpasswd", "-M", strings.Join(sorted(g.Members), ","), g.Name}, withMembersHint}}
	}
	var steps []step
	for _, name := range sorted(g.Members) {
		if !slices.Contains(has, name) {
			steps = append(steps, step{[]string{"addgroup", name, g.Name}, withMembersHint})
		}
	}
	for _, name := range has {
		if !slices.Contains(g.Members, name) {
			steps = append(steps, step{[]string{"delgroup", name, g.Name}, withMembersHint})
		}
	}
	return steps
}

var withMembersHint = hintIfMissing("members", "Create the users first, for example with posix_user, and reference their names here")

// Read implements [runtime.TypedResource].
func (g *Group) Read(ctx context.Context, scope *lifecycle.Scope, _ *GroupOutput) (*GroupOutput, error) {
	h := scope.Host
	s, err := read(ctx, h, query{database: group, key: g.Name})
	if err != nil {
		return nil, err
	}
	has, there := s.group(g.Name)
	switch {
	case there:
	case s.nss != "":
		return nil, s.notLocalError(group, g.Name)
	default:
		return nil, fmt.Errorf("%w: the group %s is not in /etc/group of host %s", runtime.ErrNotFound, g.Name, h.Name())
	}
	return groupOutput(s, has), nil
}

// Update implements [runtime.TypedResource].
func (g *Group) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Group, *GroupOutput]) (*GroupOutput, error) {
	h := scope.Host
	// If the plan does not change the members, they are not set, because another resource
	// may change them in the same apply.
	members := g.Members
	if sameSet(members, prior.Observed.Members) {
		g.Members = nil
	}
	var out *GroupOutput
	err := withLock(ctx, scope, func(ctx context.Context) error {
		s, err := g.read(ctx, h)
		if err != nil {
			return err
		}
		if has, there := s.group(g.Name); there && changedSince(&has.gid, prior.Observed.GID, g.GID) {
			return lifecycle.PartChangedAfterPlan("gid", h, "gid of the group "+g.Name)
		}
		out, err = g.apply(ctx, s)
		return err
	})
	if err == nil {
		out.Members = members
	}
	return out, err
}

// Delete implements [runtime.TypedResource].
func (g *Group) Delete(ctx context.Context, scope *lifecycle.Scope, _ *GroupOutput) error {
	h := scope.Host
	return withLock(ctx, scope, func(ctx context.Context) error {
		s, err := read(ctx, h, query{database: group, key: g.Name})
		if err != nil {
			return err
		}
		has, there := s.group(g.Name)
		if !there {
			return nil
		}
		if err := s.checkManageable(); err != nil {
			return err
		}
		if users := s.primary(has.gid); len(users) > 0 {
			return fmt.Errorf("cannot delete the group %s on host %s: it is the primary group of %s. "+
				"Change the primary group of these users first, or delete the users. If Terraform manages the users, reference the name of the group in their configuration",
				g.Name, h.Name(), diag.List(users, maxListed))
		}
		program := "groupdel"
		if s.busybox() {
			program = "delgroup"
		}
		return s.program(ctx, program, g.Name)
	})
}

func groupOutput(s *hostAccounts, has groupEntry) *GroupOutput {
	return &GroupOutput{Host: new(s.host.Name()), Name: has.name, GID: &has.gid, Members: append([]string{}, has.members...)}
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Compact(sorted(a)), slices.Compact(sorted(b)))
}

// maxListed is the maximum number of names in a message.
const maxListed = 5

// quotedList returns the names for a message, or "none".
func quotedList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return diag.List(names, maxListed)
}
