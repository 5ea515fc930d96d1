package packages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// request is a request to install a version of a package, with or without a hold.
type request struct {
	name    string
	version Version // empty for any
	planned Version // preferred version of a missing package if version is empty; empty for any
	hold    bool
	refresh bool // whether to update an index that is outdated, or does not have the package or version
	changes bool // whether an installed package may be changed; if not, a difference other than a missing hold is an error
}

// result is the error of a request and, after an installation, the state of the package. The state is
// empty if a create failed for a package that it found installed.
type result struct {
	state packageState
	err   error
}

// installed reports whether a package is installed at the requested version. It does not
// compare the hold.
func (r request) installed(p packageState, found bool) bool {
	return found && p.status == complete && r.version.matches(p.version)
}

// checkAdoptable returns an error if a create would have to change an installed package. A create
// may add a hold, which is missing if an earlier create was killed after the installation.
func (r request) checkAdoptable(h host.Host, p packageState, found bool) error {
	if r.changes || !found || p.status != complete || r.installed(p, found) && (r.hold || !p.held) {
		return nil
	}
	how := "version " + p.version
	if p.held {
		how += ", on hold"
	}
	return lifecycle.ConflictErrorf("name", "the package %s is already installed on host %s in %s, which differs from the configuration. "+
		"To manage it, import it (id %q); a plan then shows what would change. Or change the configuration",
		r.name, h.Name(), how, h.Name()+":"+r.name)
}

// candidate returns the package to install, and whether it is available; available maps the names of
// packages to their versions.
func (r request) candidate(available map[string][]string) (candidate, bool) {
	versions := available[r.name]
	if wanted := cmp.Or(r.version, r.planned); wanted != "" {
		for _, version := range versions {
			if wanted.matches(version) {
				return candidate{r.name, version}, true
			}
		}
	}
	if r.version == "" {
		return candidate{name: r.name}, len(versions) > 0
	}
	return candidate{}, false
}

// String returns the name, and the version if one is requested.
func (r request) String() string {
	if r.version == "" {
		return r.name
	}
	return r.name + " in version " + string(r.version)
}

// install installs the packages of a batch. Errors of single requests are in their results.
func (m *manager) install(ctx context.Context, requests []request) ([]result, error) {
	results := make([]result, len(requests))
	err := m.change(ctx, func(ctx context.Context) error {
		m.refreshErr = nil
		packages, err := m.inventory(ctx, m.h)
		if err != nil {
			return err
		}
		var missing, adopted, existing []int // indexes of requests
		var adoptedPackages []packageState
		for i, r := range requests {
			p, found := packages[r.name]
			if !r.changes && found && p.status == complete {
				existing = append(existing, i)
			}
			if err := r.checkAdoptable(m.h, p, found); err != nil {
				results[i].err = err
			} else if !r.installed(p, found) {
				missing = append(missing, i)
			} else if !r.changes {
				adopted, adoptedPackages = append(adopted, i), append(adoptedPackages, p)
			}
		}
		released, err := m.releaseHolds(ctx, packages, requests, missing)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			if packages, err = m.installMissing(ctx, packages, requests, missing, results); err != nil {
				return errors.Join(err, m.restoreHolds(ctx, released))
			}
		}
		m.applyHolds(ctx, packages, requests, released, results)
		for _, i := range existing {
			if results[i].err != nil {
				results[i].state = packageState{} // not adopted: a tainted object would be removed from the host
			}
		}
		if len(adopted) == 0 {
			return nil
		}
		markErr := m.markExplicit(ctx, m.h, adoptedPackages)
		for _, i := range adopted { // the results of other requests are kept
			if err := cmp.Or(markErr, results[i].err); err != nil {
				results[i] = result{err: err} // not adopted: if the package were in the state, it would be tainted, and the next apply would remove it
			}
		}
		return nil
	})
	return results, err
}

// releaseHolds removes the holds of packages that are to be changed, also in the inventory, and
// returns the packages that were held. apt and dnf do not change a held package.
func (m *manager) releaseHolds(ctx context.Context, packages inventory, requests []request, missing []int) (released []packageState, err error) {
	for _, i := range missing {
		p := packages[requests[i].name]
		if !p.held {
			continue
		}
		released = append(released, p)
		p.held = false
		packages[p.name] = p
	}
	if len(released) > 0 {
		err = m.hold(ctx, m.scope, released, false)
	}
	return released, err
}

// installMissing installs missing packages in one run and, if that fails, each that is still missing in
// a run of its own. It returns the inventory afterwards, which determines which requests failed: a
// run also fails if the scripts of a package that another resource requested fail.
func (m *manager) installMissing(ctx context.Context, before inventory, requests []request, missing []int, results []result) (inventory, error) {
	candidates, err := m.selectCandidates(ctx, requests, missing, results)
	if err != nil {
		return nil, err
	}
	var order []int // indexes of the requests that have a candidate
	var all []candidate
	refresh := false
	for _, i := range missing {
		if results[i].err == nil {
			order, all = append(order, i), append(all, candidates[i])
			refresh = refresh || requests[i].refresh
		}
	}
	if len(order) == 0 {
		return before, nil
	}
	failed := m.installCandidates(ctx, all, refresh)
	after, err := m.inventory(ctx, m.h)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	for _, i := range order {
		r := requests[i]
		p, found := after[r.name]
		if !r.installed(p, found) && len(order) > 1 {
			failed = m.installCandidates(ctx, []candidate{candidates[i]}, r.refresh)
			if after, err = m.inventory(ctx, m.h); err != nil {
				return nil, errors.Join(failed, err)
			}
			p, found = after[r.name]
		}
		if !r.installed(p, found) {
			results[i].err = m.installError(r, p, found, failed)
		}
	}
	return after, nil
}

// installCandidates installs candidates. If refresh is set and the index is outdated, installCandidates tries once more
// after an update by refreshOnce, even if some repository cannot be reached.
func (m *manager) installCandidates(ctx context.Context, candidates []candidate, refresh bool) error {
	err := m.backend.install(ctx, m.h, candidates)
	if failed, is := errors.AsType[*remotecmd.Failed](err); !is || !indexOutdated(failed.Stderr+failed.Stdout) {
		return err
	}
	if !refresh {
		return fmt.Errorf("%w. The package index may be out of date: set update_cache = true to update it", err)
	}
	if did, _ := m.refreshOnce(ctx); !did {
		return err
	}
	return m.backend.install(ctx, m.h, candidates)
}

// indexOutdated reports whether a package manager failed to download files that its index
// lists.
func indexOutdated(output string) bool {
	return slices.ContainsFunc([]string{"404", "Failed to fetch", "failed retrieving file", "Cannot download", "No more mirrors"}, func(text string) bool {
		return strings.Contains(output, text)
	})
}

// selectCandidates returns the packages to install by the index of their request. It updates
// the package index if a request needs that. If a request has no candidate, it sets the
// error in its result.
func (m *manager) selectCandidates(ctx context.Context, requests []request, missing []int, results []result) (map[int]candidate, error) {
	var names []string
	for _, i := range missing {
		names = append(names, requests[i].name)
	}
	names = unique(names)
	available, err := m.available(ctx, m.h, names)
	if err != nil {
		return nil, err
	}
	for _, i := range missing {
		if _, ok := requests[i].candidate(available); ok || !requests[i].refresh {
			continue
		}
		did, refreshErr := m.refreshOnce(ctx)
		if !did {
			break
		}
		switch updated, err := m.available(ctx, m.h, names); { // the update may have failed for one of several repositories
		case err == nil:
			available = updated
		case refreshErr == nil:
			return nil, err
		}
	}
	candidates := map[int]candidate{}
	for _, i := range missing {
		r := requests[i]
		c, ok := r.candidate(available)
		switch candidates[i] = c; {
		case ok:
		case r.refresh && m.refreshErr != nil:
			results[i].err = fmt.Errorf("the package index of %s on host %s does not have %s, and cannot be updated: %w", m.name, m.h.Name(), r, m.refreshErr)
		default:
			results[i].err = m.notAvailable(ctx, r, available[r.name])
		}
	}
	return candidates, nil
}

// applyHolds sets the states of results, and adds and removes holds as requested. A
// package whose request failed keeps or regains the hold that it had.
func (m *manager) applyHolds(ctx context.Context, packages inventory, requests []request, released []packageState, results []result) {
	changes := map[bool][]packageState{}
	for i, r := range requests {
		p := packages[r.name]
		results[i].state = p
		switch wasHeld := slices.ContainsFunc(released, func(other packageState) bool { return other.name == r.name }); {
		case p.name == "":
		case results[i].err == nil && p.held != r.hold:
			changes[r.hold] = append(changes[r.hold], p)
		case results[i].err != nil && wasHeld && !p.held:
			results[i].err = errors.Join(results[i].err, m.restoreHolds(ctx, []packageState{p}))
		}
	}
	for _, held := range []bool{false, true} {
		if len(changes[held]) == 0 {
			continue
		}
		err := m.hold(ctx, m.scope, changes[held], held)
		for i, r := range requests {
			switch {
			case r.hold != held || results[i].state.held == held || results[i].err != nil:
			case err != nil:
				results[i].err = err
			default:
				results[i].state.held = held
			}
		}
	}
}

// restoreHolds adds the holds of packages that could not be changed or removed.
func (m *manager) restoreHolds(ctx context.Context, released []packageState) error {
	if len(released) == 0 {
		return nil
	}
	if err := m.hold(ctx, m.scope, released, true); err != nil {
		return fmt.Errorf("cannot restore the hold of %s on host %s: %w", strings.Join(packageNames(released), ", "), m.h.Name(), err)
	}
	return nil
}

// installError returns the error of a request if the package is not installed as
// requested; cause is the error of the backend, or nil.
func (m *manager) installError(r request, p packageState, found bool, cause error) error {
	_, failed := errors.AsType[*remotecmd.Failed](cause) // after a lost connection, the program may still run
	switch {
	case failed && found && p.status == incomplete:
		return fmt.Errorf("%w. The package %s is unpacked but not configured: its own scripts fail. "+
			"Fix the cause on host %s, and apply again", cause, r.name, m.h.Name())
	case cause != nil:
		return remotecmd.WithRootHint(m.h, "Packages", cause)
	case found && p.status != configOnly:
		return fmt.Errorf("%s reports that it installed %s on host %s, but version %s is installed", m.name, r.name, m.h.Name(), p.version)
	}
	return fmt.Errorf("%s reports that it installed %s on host %s, but it is not installed", m.name, r.name, m.h.Name())
}

// maxListed is the maximum number of names or versions in a message.
const maxListed = 10

// notAvailable returns the error of a request that the index cannot satisfy; versions are
// the versions of the package that it has.
func (m *manager) notAvailable(ctx context.Context, r request, versions []string) error {
	if len(versions) > 0 {
		return diag.AttributeErrorf("version", "%s on host %s has no version %s of the package %s. It has: %s. "+
			"Choose one of these versions, or add a repository that has it, for example with posix_package_repository",
			m.name, m.h.Name(), r.version, r.name, diag.List(versions, maxListed))
	}
	providers, err := m.providers(ctx, m.h, r.name)
	if err == nil && len(providers) > 0 {
		return diag.AttributeErrorf("name", "%s is not a package of %s on host %s, but is provided by %s. Use the name of a package that provides it",
			r.name, m.name, m.h.Name(), diag.List(providers, maxListed))
	}
	remedy := "its index was just updated"
	if !m.refreshed {
		remedy = "set update_cache = true to update its index first"
	}
	return errors.Join(diag.AttributeErrorf("name", "%s on host %s has no package %s; %s. "+
		"Check the name, or add a repository that has it, for example with a posix_package_repository that this resource depends on",
		m.name, m.h.Name(), r.name, remedy), err)
}
