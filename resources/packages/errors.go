package packages

import (
	"context"
	"errors"
	"fmt"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// installError returns the error of a request after which the package is not installed as
// requested; cause is the error of the backend, or nil.
func (m *manager) installError(r request, p packageState, found bool, cause error) error {
	switch {
	case cause != nil && found && p.status == incomplete:
		return fmt.Errorf("%w. The package %s is unpacked but not configured: its own scripts fail. "+
			"Fix the cause on the host, and apply again", cause, r.name)
	case cause != nil:
		return remotecmd.WithRootHint(m.h, "Packages", cause)
	case found:
		return fmt.Errorf("%s reports that it installed %s on host %s, but version %s is installed", m.name, r.name, m.h.Name(), p.version)
	}
	return fmt.Errorf("%s reports that it installed %s on host %s, but it is not installed", m.name, r.name, m.h.Name())
}

// maxListed is the maximum number of names or versions in a message.
const maxListed = 10

// notAvailable returns the error of a request that the index cannot satisfy. It has these
// versions of the package.
func (m *manager) notAvailable(ctx context.Context, r request, versions []string) error {
	if len(versions) > 0 {
		return diag.AttributeErrorf("version", "%s on host %s has no version %s of the package %s. It has: %s. "+
			"Choose one of these, or add a repository that has it, for example with posix_package_repository",
			m.name, m.h.Name(), r.version, r.name, diag.List(versions, maxListed))
	}
	providers, err := m.providers(ctx, m.h, r.name)
	if err == nil && len(providers) > 0 {
		return diag.AttributeErrorf("name", "%s is not a package of %s on host %s, but is provided by %s. Use one of those names",
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
