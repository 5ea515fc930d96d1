package lifecycle

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// pending is a host with settings that are unknown until apply, such as one that the
// same apply creates. Resources on it can be planned; operations on it fail, or are
// deferred if the client supports that.
type pending struct {
	name    string
	unknown []string // attributes of the provider's configuration
}

// NewPending returns a host for which these attributes of the provider's configuration
// are known only after apply.
func NewPending(name string, unknown ...string) host.Host { return &pending{name, unknown} }

// Pending reports whether operations on the host cannot work yet. Plans then leave out
// their checks.
func Pending(h host.Host) bool {
	_, is := h.(*pending)
	return is
}

// unknownHostError is the error of an operation on a pending host. It is a deferral for
// clients that support it.
type unknownHostError struct{ text string }

func (e *unknownHostError) Error() string { return e.text }
func (e *unknownHostError) Unwrap() error {
	return runtime.Defer(provider.DeferredReasonProviderConfigUnknown)
}

func (p *pending) fail(op, path string) error {
	return &host.Error{Op: op, Host: p.name, Path: path, Err: p.err()}
}

func (p *pending) err() error {
	value, source := "the value of ", "provides it"
	if len(p.unknown) > 1 {
		value, source = "the values of ", "provides them"
	}
	return &unknownHostError{fmt.Sprintf("the host cannot be reached yet: %s%s in the provider's configuration will be known only after apply. "+
		"First apply the resource that %s (with -target)", value, strings.Join(p.unknown, ", "), source)}
}

// Name implements [host.Host].
func (p *pending) Name() string { return p.name }

// Lstat implements [host.Files].
func (p *pending) Lstat(_ context.Context, path string) (host.FileInfo, error) {
	return host.FileInfo{}, p.fail("stat", path)
}

// Open implements [host.Files].
func (p *pending) Open(_ context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	return host.FileInfo{}, nil, p.fail("read", path)
}

// ReadDir implements [host.Files].
func (p *pending) ReadDir(_ context.Context, path string) ([]host.DirEntry, error) {
	return nil, p.fail("list", path)
}

// WriteFile implements [host.Files].
func (p *pending) WriteFile(_ context.Context, path string, _ io.Reader, _ host.WriteOptions) (host.FileInfo, error) {
	return host.FileInfo{}, p.fail("write", path)
}

// RemoveTemp implements [host.Files].
func (p *pending) RemoveTemp(_ context.Context, path string) error { return p.fail("remove", path) }

// Mkdir implements [host.Files].
func (p *pending) Mkdir(_ context.Context, path string, _ host.Attributes) (host.FileInfo, error) {
	return host.FileInfo{}, p.fail("make", path)
}

// Remove implements [host.Files].
func (p *pending) Remove(_ context.Context, path string) error { return p.fail("remove", path) }

// Rmdir implements [host.Files].
func (p *pending) Rmdir(_ context.Context, path string) error { return p.fail("remove", path) }

// Rename implements [host.Files].
func (p *pending) Rename(_ context.Context, oldPath, _ string) error {
	return p.fail("rename", oldPath)
}

// Link implements [host.Files].
func (p *pending) Link(_ context.Context, _, newPath string) error { return p.fail("link", newPath) }

// Symlink implements [host.Files].
func (p *pending) Symlink(_ context.Context, _, path string) (host.FileInfo, error) {
	return host.FileInfo{}, p.fail("link", path)
}

// ReplaceSymlink implements [host.Files].
func (p *pending) ReplaceSymlink(_ context.Context, _, path string, _ *string) (host.FileInfo, error) {
	return host.FileInfo{}, p.fail("link", path)
}

// SetAttributes implements [host.Files].
func (p *pending) SetAttributes(_ context.Context, path string, _ host.FileType, _ host.Attributes) (host.FileInfo, error) {
	return host.FileInfo{}, p.fail("change", path)
}

// LookupUser implements [host.Accounts].
func (p *pending) LookupUser(context.Context, string) (host.User, error) {
	return host.User{}, p.fail("look up a user", "")
}

// LookupGroup implements [host.Accounts].
func (p *pending) LookupGroup(context.Context, string) (host.Group, error) {
	return host.Group{}, p.fail("look up a group", "")
}

// DialHost implements [host.Dialer].
func (p *pending) DialHost(_ context.Context, network, address string) (net.Conn, error) {
	return nil, host.DialError(p, network, address, p.err())
}

// Run implements [host.Runner].
func (p *pending) Run(context.Context, host.Command) (host.Result, error) {
	return host.Result{}, &host.Error{Op: "run", Host: p.name, Err: &host.NotStartedError{Err: p.err()}}
}
