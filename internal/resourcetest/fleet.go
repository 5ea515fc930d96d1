package resourcetest

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
)

// RemoteHosts has remote hosts in memory. Each keeps its files between runs.
type RemoteHosts struct {
	Down   map[string]bool // addresses that do not respond
	Asked  int             // number of operations on hosts that do not respond
	Closed int             // number of connections that were closed

	mu   sync.Mutex
	kept map[string]*connection
}

// connection is a host that counts the calls to Close.
type connection struct {
	host.Host
	host.Dialer
	all     *RemoteHosts
	name    string
	address string // address of the last connection, after the name of the jump host and a slash, if there is one
}

// Name implements [host.Host].
func (c *connection) Name() string { return c.name }

// Rename gives a host a different name. The host keeps its files.
func (m *RemoteHosts) Rename(from, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[to] = &connection{Host: m.kept[from].Host, all: m, name: to}
	delete(m.kept, from)
}

// Close implements [io.Closer].
func (c *connection) Close() error {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.all.Closed++
	return nil
}

// Hosts returns the backends of a provider: a local host in memory, and the remote hosts.
func (m *RemoteHosts) Hosts(t *testing.T) hosts.Backends {
	home := t.TempDir()
	return hosts.Backends{
		Local:  func() (host.Host, error) { return memory.New(memory.Config{Name: host.LocalName}), nil },
		Remote: m.connect,
		Environ: func() (sshconfig.Env, error) {
			return sshconfig.Env{User: "me", Home: home, Getenv: func(string) (string, bool) { return "", false }}, nil
		},
	}
}

func (m *RemoteHosts) connect(o sshhost.Options) (host.Host, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	address := o.Address
	if o.Via != nil {
		address = o.Via.Name() + "/" + address
	}
	if h, ok := m.kept[o.Name]; ok {
		h.address = address
		return h, nil
	}
	h := &connection{all: m, name: o.Name, address: address}
	h.Host = memory.New(memory.Config{
		Name:  o.Name,
		Users: []host.User{{Name: "root"}, {Name: "www-data", UID: 33, GID: 33}},
		Fault: func(string, string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if !m.Down[h.address] {
				return nil
			}
			m.Asked++
			return host.ErrUnreachable
		},
	})
	if m.kept == nil {
		m.kept = map[string]*connection{}
	}
	m.kept[o.Name] = h
	return h, nil
}

// Files returns the sorted paths of all files on the remote hosts, except for directories, as
// "host:/path".
func (m *RemoteHosts) Files(t *testing.T) []string {
	t.Helper()
	m.mu.Lock()
	kept := maps.Clone(m.kept)
	m.mu.Unlock()
	var found []string
	for name, h := range kept {
		for path := range FilesOn(t, h) {
			found = append(found, name+":"+path)
		}
	}
	slices.Sort(found)
	return found
}

// Fleet is a provider whose configuration is set by [Fleet.Set]. ConfigureProvider ignores
// the configuration in its request.
type Fleet struct {
	provider.Interface
	Body *configschema.Block // schema of the provider's configuration

	config cty.Value
}

// NewFleet returns a guarded and configured provider with these attributes and a host
// for each name. The provider is closed at the end of the test.
func NewFleet(t *testing.T, p func() (provider.Interface, error), all Attrs, named map[string]Attrs) *Fleet {
	t.Helper()
	made, err := p()
	Must(t, err)
	f := &Fleet{Interface: guard.Wrap(made)}
	f.Body = f.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body
	f.Set(all, named)
	Configure(t, f)
	t.Cleanup(func() { Must(t, f.Close()) })
	return f
}

// ConfigureProvider implements [provider.Interface].
func (f *Fleet) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	req.Config = f.config
	return f.Interface.ConfigureProvider(ctx, req)
}

// Set changes the configuration of the next run.
func (f *Fleet) Set(all Attrs, named map[string]Attrs) {
	complete := func(set Attrs, of map[string]*configschema.Attribute) cty.Value {
		values := (&configschema.Block{Attributes: of}).EmptyValue().AsValueMap()
		maps.Copy(values, set)
		return cty.ObjectVal(values)
	}
	all = maps.Clone(all)
	if all == nil {
		all = Attrs{}
	}
	if named != nil {
		elements := Attrs{}
		for name, set := range named {
			elements[name] = complete(set, f.Body.Attributes["hosts"].NestedType.Attributes)
		}
		all["hosts"] = cty.MapVal(elements)
	}
	f.config = complete(all, f.Body.Attributes)
}

// NewHost returns a host in memory named "town" with some users and groups. If fault is not
// nil, it is called before each operation and can return an error for it.
func NewHost(fault func(op, path string) error) *memory.Host {
	return memory.New(memory.Config{
		Name:   "town",
		Users:  []host.User{{Name: "alice", UID: 1001, GID: 2001}, {Name: "bob", UID: 1002, GID: 2002}, {Name: "alias", UID: 1001, GID: 2001}},
		Groups: []host.Group{{Name: "staff", GID: 2001}, {Name: "guests", GID: 2002}},
		Fault:  fault,
	})
}

// WriteOn writes a file on a host, like a change made without Terraform.
func WriteOn(t *testing.T, h host.Host, path, content string) {
	t.Helper()
	_, err := h.WriteFile(t.Context(), path, strings.NewReader(content), host.WriteOptions{})
	Must(t, err)
}

// FilesOn returns the types of all files on a host by path, except for directories.
func FilesOn(t *testing.T, h host.Host) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := h.ReadDir(context.Background(), dir)
		Must(t, err)
		for _, entry := range entries {
			name := path.Join(dir, entry.Name)
			if entry.Type == host.TypeDirectory {
				walk(name)
			} else {
				found[name] = entry.Type.String()
			}
		}
	}
	walk("/")
	return found
}
