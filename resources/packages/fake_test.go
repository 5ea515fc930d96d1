package packages_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/packages"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Paths of locks. apt-mark does not wait for the lock of dpkg, and apt-get does not wait for the other two.
const (
	dpkgLock     = "/var/lib/dpkg/lock-frontend"
	listsLock    = "/var/lib/apt/lists/lock"
	archivesLock = "/var/cache/apt/archives/lock"
)

// fakeApt simulates a host with apt. The package web recommends web-mod, which requires web.
type fakeApt struct {
	installed   map[string]bool // by name: whether the package was installed explicitly
	held        bool            // whether web is on hold
	noHold      bool            // whether apt-mark hold fails
	locked      map[string]int  // number of calls that find a lock held, by its path
	stale       bool            // whether the index does not have the packages
	outdated    bool            // whether the index lists files that no longer exist
	unreachable string          // repositories that an update cannot reach: "all", or "another" for one without the packages
	interrupted bool            // whether dpkg was interrupted
	fails       bool            // whether the repair of dpkg fails
	changes     []string
}

func (a *fakeApt) run(_ context.Context, cmd host.Command) (host.Result, error) {
	if remotecmd.IsDetachedWait(cmd) {
		a.changes = append(a.changes, "wait")
		return host.Result{}, nil
	}
	line := strings.Join(remotecmd.Program(cmd), " ")
	out, errOut, code := "", "", 0
	held := func(lock string) bool {
		if a.locked[lock] == 0 {
			return false
		}
		a.locked[lock]--
		a.changes = append(a.changes, "locked")
		errOut, code = "E: Could not get lock "+lock+". It is held by process 7 (apt-get)\nE: Unable to lock directory "+path.Dir(lock)+"/\n", 100
		if lock == dpkgLock {
			errOut = "dpkg: error: dpkg frontend lock was locked by another process with pid 7\nE: Executing dpkg failed. Are you root?\n"
		}
		return true
	}
	switch {
	case line == "id -u":
		out = "0\n"
	case strings.Contains(line, "os-release"):
		out = "= debian\n+ apt-get\n"
	case strings.Contains(line, "dpkg-query"):
		out = "amd64\n"
		for _, name := range slices.Sorted(maps.Keys(a.installed)) {
			want := "install"
			if a.held && name == "web" {
				want = "hold"
			}
			out += name + "\t1.0\t" + want + "\tinstalled\tall\n"
		}
	case strings.HasSuffix(line, " update"):
		if held(listsLock) {
			break
		}
		a.changes = append(a.changes, "update")
		if a.unreachable != "all" {
			a.stale, a.outdated = false, false
		}
		if a.unreachable != "" {
			errOut = "W: Failed to fetch http://deb.example.com/InRelease  Temporary failure resolving 'deb.example.com'\n"
			if strings.Contains(line, "-o APT::Update::Error-Mode=any") {
				errOut, code = strings.Replace(errOut, "W:", "E:", 1), 100
			}
		}
	case strings.Contains(line, "madison") && a.stale:
	case strings.Contains(line, "madison"):
		out = "web | 1.0 | x Packages\nweb-mod | 1.0 | x Packages\n"
	case strings.Contains(line, "showmanual"):
		for name, explicit := range a.installed {
			if explicit {
				out += name + "\n"
			}
		}
	case strings.Contains(line, " -s remove -- web"):
		for name := range a.installed {
			out += "Remv " + name + " [1.0]\n"
		}
	case strings.HasSuffix(line, "dpkg --force-confdef --force-confold --configure -a"):
		a.changes = append(a.changes, "configure")
		if a.interrupted = false; a.fails {
			errOut, code = "dpkg: error processing package other", 1
		}
	case a.interrupted:
		a.changes = append(a.changes, "refused")
		errOut, code = "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem. \n", 100
	case strings.HasPrefix(line, "apt-mark hold -- web") && a.noHold:
		errOut, code = "E: Executing dpkg failed.\n", 100
	case strings.HasPrefix(line, "apt-mark hold -- web"):
		if !held(dpkgLock) {
			a.changes = append(a.changes, "hold")
			a.held = true
		}
	case strings.HasPrefix(line, "apt-mark unhold -- web"):
		a.changes = append(a.changes, "unhold")
		a.held = false
	case strings.HasPrefix(line, "apt-mark manual -- web"):
		a.changes = append(a.changes, "manual")
		a.installed["web"] = true
	case strings.Contains(line, " install ") && held(archivesLock):
	case strings.Contains(line, " install ") && a.outdated:
		a.changes = append(a.changes, "not found")
		errOut, code = "E: Failed to fetch http://deb.example.com/web.deb  404  Not Found\n", 100
	case strings.Contains(line, " install "):
		a.changes = append(a.changes, "install")
		a.installed["web"] = true
		if _, there := a.installed["web-mod"]; !there {
			a.installed["web-mod"] = false
		}
	case strings.Contains(line, " remove -- web"):
		a.changes = append(a.changes, "remove")
		clear(a.installed)
	default:
		return host.Result{}, fmt.Errorf("unexpected command %s", line)
	}
	if _, err := io.WriteString(cmd.Stdout, out); err != nil {
		return host.Result{}, err
	}
	_, err := io.WriteString(cmd.Stderr, errOut)
	return host.Result{ExitCode: code}, err
}

func (a *fakeApt) object(t *testing.T) *resourcetest.Object {
	t.Helper()
	a.installed = map[string]bool{}
	h := memory.New(memory.Config{Name: host.LocalName, Run: a.run})
	return resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package")
}

var web = resourcetest.Attrs{"name": cty.StringVal("web")}

// TestCommandFaults breaks the connection, or kills the provider, at each command for a package.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	resourcetest.CommandFaults{
		Types: func() runtime.Definition {
			return runtime.Definition{Resources: map[string]runtime.ResourceRegistration{"package": packages.Resource()}}
		},
		TypeName: "posix_package", Create: web, Changed: resourcetest.Attrs{"name": cty.StringVal("web"), "hold": cty.True}, Waits: true,
		Host: func(*testing.T) (memory.Config, func() string) {
			a := &fakeApt{installed: map[string]bool{}}
			return memory.Config{Name: "town", Run: a.run}, func() string { return fmt.Sprint(a.installed, a.held) }
		},
	}.Run(t)
}

// TestInterruptedDpkg checks that a change that fails because dpkg was interrupted is repeated after
// dpkg --configure -a, with a warning, even if the scripts of a package fail.
func TestInterruptedDpkg(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		a := &fakeApt{interrupted: true, fails: fails}
		o := a.object(t)
		diags := o.ApplyPlan(web, o.Plan(web))
		want := "An earlier run of dpkg on host local was interrupted. dpkg --configure -a completed its changes."
		if fails {
			want = "was interrupted. dpkg --configure -a failed for some packages: env DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold --configure -a on host local ended with exit code 1: dpkg: error processing package other."
		}
		if len(diags) != 1 || diags.HasErrors() || !strings.Contains(diags[0].Detail, want) {
			t.Errorf("fails %t: diagnostics %v, want one warning with %q", fails, diags, want)
		}
		if want := []string{"wait", "refused", "configure", "install"}; !slices.Equal(a.changes, want) {
			t.Errorf("fails %t: the changes are %q, want %q", fails, a.changes, want)
		}
		a.interrupted, a.changes = true, nil
		if diags := o.Destroy(); len(diags) != 1 || diags.HasErrors() {
			t.Errorf("fails %t: diagnostics of the destroy %v, want one warning", fails, diags)
		}
		if want := []string{"wait", "refused", "configure", "remove"}; !slices.Equal(a.changes, want) {
			t.Errorf("fails %t: the changes are %q, want %q", fails, a.changes, want)
		}
	}
}

// TestWaitsForAptLocks checks that an installation with a hold waits for the locks that apt-get and apt-mark do not
// wait for, but not indefinitely.
func TestWaitsForAptLocks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		locked  map[string]int
		changes []string
		want    []string // texts in the error
	}{
		"lists":    {locked: map[string]int{listsLock: 2}, changes: []string{"locked", "locked", "update", "install", "hold"}},
		"archives": {locked: map[string]int{archivesLock: 2}, changes: []string{"update", "locked", "locked", "install", "hold"}},
		"dpkg":     {locked: map[string]int{dpkgLock: 2}, changes: []string{"update", "install", "locked", "locked", "hold"}},
		"stuck":    {locked: map[string]int{listsLock: 10000}, want: []string{"cannot be updated: ", "Could not get lock " + listsLock}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &fakeApt{locked: tt.locked, stale: true}
				o := a.object(t)
				set := resourcetest.Attrs{"name": cty.StringVal("web"), "hold": cty.True}
				plan := o.Plan(set)
				start := time.Now()
				diags := o.ApplyPlan(set, plan)
				if tt.want != nil {
					resourcetest.WantError(t, diags, "", tt.want...)
					return
				}
				resourcetest.NoErrors(t, diags)
				if want := slices.Concat([]string{"wait"}, tt.changes); !slices.Equal(a.changes, want) || time.Since(start) < 2*time.Second {
					t.Errorf("after %v, the changes are %q, want %q after at least 2s", time.Since(start), a.changes, want)
				}
			})
		})
	}
}

// TestUnreachableRepository checks that a package is installed if the index cannot be updated from a repository that does
// not have the package, and that the error about a missing package contains the error of the update.
func TestUnreachableRepository(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		is      fakeApt
		changes []string
		fails   bool
	}{
		"all":               {is: fakeApt{stale: true, unreachable: "all"}, changes: []string{"wait", "update"}, fails: true},
		"another":           {is: fakeApt{stale: true, unreachable: "another"}, changes: []string{"wait", "update", "install"}},
		"another, outdated": {is: fakeApt{outdated: true, unreachable: "another"}, changes: []string{"wait", "not found", "update", "install"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := tt.is
			o := a.object(t)
			diags := o.ApplyPlan(web, o.Plan(web))
			if tt.fails {
				resourcetest.WantError(t, diags, "", "the package index of apt on host local does not have web, and cannot be updated: ", "Temporary failure resolving")
			} else {
				resourcetest.NoErrors(t, diags)
			}
			if !slices.Equal(a.changes, tt.changes) {
				t.Errorf("the changes are %q, want %q", a.changes, tt.changes)
			}
		})
	}
}

// TestNoUpdateOfOutdatedIndex checks that update_cache = false also applies to an index that lists files that no
// longer exist.
func TestNoUpdateOfOutdatedIndex(t *testing.T) {
	t.Parallel()
	a := &fakeApt{outdated: true}
	o := a.object(t)
	set := resourcetest.Attrs{"name": cty.StringVal("web"), "update_cache": cty.False}
	resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "", "404", "The package index may be out of date: set update_cache = true to update it")
	if want := []string{"wait", "not found"}; !slices.Equal(a.changes, want) {
		t.Errorf("the changes are %q, want %q", a.changes, want)
	}
}

// TestNotAdopted checks that a create that fails for an installed package leaves no object in the state:
// the object would be tainted, and the next apply would remove the package from the host.
func TestNotAdopted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		is   fakeApt
		hold bool
		want string
	}{
		"on hold":    {is: fakeApt{held: true}, want: "the package web is already installed on host local in version 1.0, on hold, which differs from the configuration"},
		"hold fails": {is: fakeApt{noHold: true}, hold: true, want: "Executing dpkg failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := tt.is
			o := a.object(t)
			set := resourcetest.Attrs{"name": cty.StringVal("web"), "hold": cty.BoolVal(tt.hold)}
			plan := o.Plan(set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			a.installed["web"] = true
			resourcetest.WantError(t, o.ApplyPlan(set, plan), "", tt.want)
			if !o.State.IsNull() {
				t.Errorf("the state has %#v, want no object", o.State)
			}
		})
	}
}

// TestDependents checks which packages a destroy removes together with the package that they
// require.
func TestDependents(t *testing.T) {
	t.Parallel()
	const want = "cannot remove web from host local: required by web-mod. Remove those packages first"
	for name, tt := range map[string]struct {
		explicit, managed bool
		want              string
	}{
		"dependency":          {},
		"explicitly":          {explicit: true, want: want},
		"by another resource": {managed: true, want: want},
	} {
		a := &fakeApt{}
		o := a.object(t)
		a.installed["web"], a.installed["web-mod"] = true, tt.explicit
		resourcetest.NoErrors(t, o.Import("web", cty.NilVal))
		if tt.managed {
			resourcetest.NoErrors(t, resourcetest.NewObject(t, o.Provider, "posix_package").Import("web-mod", cty.NilVal))
		}
		diags := o.DeleteNow()
		if tt.want != "" {
			resourcetest.WantError(t, diags, "", tt.want)
		} else if len(diags) > 0 || len(a.installed) > 0 {
			t.Errorf("%s: diagnostics %v, packages %v on the host, want no diagnostics and no packages", name, diags, a.installed)
		}
	}
}

// TestRemovedAfterPlan checks that an update of another attribute installs the planned version of a package that was
// removed after the plan.
func TestRemovedAfterPlan(t *testing.T) {
	t.Parallel()
	a := &fakeApt{installed: map[string]bool{}}
	var installs []string
	h := memory.New(memory.Config{Name: host.LocalName, Run: func(ctx context.Context, cmd host.Command) (host.Result, error) {
		if line := strings.Join(remotecmd.Program(cmd), " "); strings.Contains(line, " install ") {
			installs = append(installs, line)
		}
		return a.run(ctx, cmd)
	}})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package")
	set := resourcetest.Attrs{"name": cty.StringVal("web"), "version": cty.StringVal("1.*")}
	o.Apply(set)
	set["hold"] = cty.True
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	clear(a.installed)
	installs = nil
	resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
	if len(installs) != 1 || !strings.HasSuffix(installs[0], " -- web=1.0") {
		t.Errorf("the installations are %q, want one installation of version 1.0", installs)
	}
}
