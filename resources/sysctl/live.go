package sysctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// root has a file for each key.
const root = "/proc/sys"

// errNoKey is wrapped in the error about a key that the kernel does not have.
var errNoKey = errors.New("the kernel has no such key")

// live returns the value in the running kernel, as the kernel prints it.
func (s *Sysctl) live(ctx context.Context, h host.Host) (string, error) {
	at := path.Join(root, slashed(s.Key))
	_, text, err := textedit.Read(ctx, h, address.Path(at))
	switch {
	case errors.Is(err, host.ErrUnreachable) || errors.Is(err, host.ErrRefused):
		return "", err
	case errors.Is(err, fs.ErrPermission):
		return "", diag.AttributeErrorf("key", "the value of %s cannot be read: %w. A write-only key triggers an action and has no value: "+
			"use posix_command instead", dotted(s.Key), err)
	case err != nil:
		if info, _ := h.Lstat(ctx, at); info.Type == host.TypeDirectory {
			err = fmt.Errorf("the key is a group of parameters: use one of those in %s", at)
		}
		return "", diag.AttributeErrorf("key", "the value of %s cannot be read on host %s: %w", dotted(s.Key), h.Name(), err)
	case text == nil:
		return "", s.missing(ctx, h)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD")), nil
}

// missing returns the error about a key that does not exist.
func (s *Sysctl) missing(ctx context.Context, h host.Host) error {
	if _, err := h.Lstat(ctx, root); errors.Is(err, fs.ErrNotExist) {
		return diag.AttributeErrorf("key", "%w: host %s has no %s. Settings are managed on Linux, and with /proc mounted", errNoKey, h.Name(), root)
	}
	return diag.AttributeErrorf("key", "%w: %s is not in %s on host %s. Look for a typing error (sysctl -a lists all keys). "+
		"Where a kernel module brings the key, load it first (modprobe, and /etc/modules-load.d for the next start); "+
		"where it is of a network interface, that has to be there", errNoKey, dotted(s.Key), root, h.Name())
}

// writeValue writes a value to the file of a key with a single write, as the kernel
// requires.
const writeValue = `cat >"$1"`

// set sets the value in the running kernel, and verifies it. If the kernel prints
// another value, the current one is restored.
func (s *Sysctl) set(ctx context.Context, h host.Host, now, value string) error {
	if plain(now) == plain(value) {
		return nil
	}
	if err := s.write(ctx, h, value); err != nil {
		return err
	}
	is, err := s.live(ctx, h)
	if err != nil || plain(is) == plain(value) {
		return err
	}
	if plain(is) == plain(now) {
		return diag.AttributeErrorf("value", "the kernel of host %s was given %q for %s, and has left it at %q: it does not take this value",
			h.Name(), plain(value), dotted(s.Key), plain(is))
	}
	err = diag.AttributeErrorf("value", "the kernel of host %s takes %q for %s, and shows it as %q. Configure it as it shows it",
		h.Name(), plain(value), dotted(s.Key), plain(is))
	return errors.Join(err, s.write(ctx, h, now))
}

func (s *Sysctl) write(ctx context.Context, h host.Host, value string) error {
	call := remotecmd.Shell(writeValue, path.Join(root, slashed(s.Key)))
	call.Stdin = value + "\n"
	_, err := call.Run(ctx, h)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is {
		remedy := "Setting it takes the rights of root, and a kernel that is not shared with others: in a container, set it where that is started"
		if strings.Contains(failed.Stderr, "Invalid argument") {
			remedy = "It is no value for this key"
		}
		return diag.AttributeErrorf("value", "the kernel of host %s does not take %q for %s: %s. %s",
			h.Name(), plain(value), dotted(s.Key), strings.TrimSpace(failed.Stderr), remedy)
	}
	return err
}
