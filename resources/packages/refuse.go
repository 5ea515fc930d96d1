package packages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
)

// adoptable refuses to change what a create has found.
func (w wish) adoptable(h host.Host, it installed, found bool) error {
	if w.changes || !found || it.part != 0 || w.done(it, found) && it.held == w.hold {
		return nil
	}
	how := "version " + it.version
	if it.held {
		how += ", on hold"
	}
	return diag.AttributeErrorf("name", "the package %s is installed on host %s already, in %s, which is not as configured. "+
		"To manage it, import it (id %q); a plan then shows what would change. Or configure what it has",
		w.name, h.Name(), how, h.Name()+":"+w.name)
}

// unfulfilled is the error of a wish that came to nothing.
func (s *shop) unfulfilled(w wish, it installed, found bool, cause error) error {
	switch {
	case cause != nil && found && it.part == broken:
		return fmt.Errorf("%w. The package %s is there and was not configured to its end: its own scripts fail. "+
			"Find out why on the host, and apply again", cause, w.name)
	case cause != nil:
		return allowed(s.h, cause)
	case found:
		return fmt.Errorf("%s says that it has installed %s on host %s, which is there in version %s", s.name, w.name, s.h.Name(), it.version)
	}
	return fmt.Errorf("%s says that it has installed %s on host %s, which is not there", s.name, w.name, s.h.Name())
}

// allowed puts the remedy to the error of a package manager that wants root, in the
// words of apt, dnf, apk and pacman.
func allowed(h host.Host, err error) error {
	for _, words := range []string{"are you root?", "superuser", "Permission denied", "unless you are root"} {
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%w. Packages are managed by root: set sudo = {} for host %s in the provider's configuration, or log in as root", err, h.Name())
		}
	}
	return err
}

func (w wish) what() string {
	if w.version == "" {
		return w.name
	}
	return w.name + " in version " + string(w.version)
}

// listed is how many names or versions a message has.
const listed = 10

// list is some of many, for a message.
func list(names []string) string {
	text := strings.Join(names[:min(len(names), listed)], ", ")
	if more := len(names) - listed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unknown is the error of what the index does not have.
func (s *shop) unknown(ctx context.Context, w wish, versions []string) error {
	if len(versions) > 0 {
		return diag.AttributeErrorf("version", "%s on host %s has no version %s of the package %s. It has: %s. "+
			"Choose one of these, or add a repository that has it, for example with posix_package_repository",
			s.name, s.h.Name(), w.version, w.name, list(versions))
	}
	providers, err := s.providers(ctx, s.h, w.name)
	if err == nil && len(providers) > 0 {
		return diag.AttributeErrorf("name", "%s is no package of %s on host %s itself. These provide it: %s. Name one of them",
			w.name, s.name, s.h.Name(), list(providers))
	}
	remedy := "its index was renewed just now"
	if !s.refreshed {
		remedy = "set update_cache = true to have its index renewed first"
	}
	return errors.Join(diag.AttributeErrorf("name", "%s on host %s knows no package %s; %s. "+
		"Look whether the name is right, or add a repository that has it, for example with posix_package_repository, which this then depends on",
		s.name, s.h.Name(), w.name, remedy), err)
}
