package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/demo"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

func TestMain(m *testing.M) {
	file.SecretRounds = 1_000 // faster
	os.Exit(m.Run())
}

// world is a provider with its storage and a client. The test process has one world
// of each kind; begin resets it.
type world struct {
	*judged
	// client calls the judged server.
	client provider.Interface
	schema provider.GetProviderSchemaResponse
	kind   kind
}

// kind has the provider and the storage of a world.
type kind struct {
	make func() (provider.Interface, error)
	// reset restores the initial storage.
	reset func()
	// config is the configuration of the provider; cty.NilVal means an empty one.
	config cty.Value
	// disturb changes the storage without the provider, like another writer.
	disturb func(*life)
}

func newWorld(k kind) (*world, error) {
	p, err := k.make()
	if err != nil {
		return nil, err
	}
	made, err := tfprotov6.NewServer(context.Background(), guard.Wrap(p))
	if err != nil {
		return nil, err
	}
	w := &world{kind: k, judged: &judged{server: made.(server), judge: &judge{}}}
	var wrong []string
	w.judge.fail = func(format string, _ ...any) { wrong = append(wrong, format) }
	if w.client, err = tfprotov6.NewClient(w.judged); err != nil {
		return nil, err
	}
	w.schema = w.client.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{})
	if len(wrong) > 0 || w.schema.Diagnostics.HasErrors() {
		return nil, errors.New(strings.Join(wrong, "\n") + w.schema.Diagnostics.Error())
	}
	if k.config == cty.NilVal {
		w.kind.config = w.schema.Provider.Body.EmptyValue()
	}
	w.judge.expect(w.schema)
	return w, nil
}

// begin resets the world for one execution, which reports to tb, and configures the
// provider and its state stores. It returns the context of the requests.
func (w *world) begin(tb testing.TB) context.Context {
	tb.Helper()
	w.kind.reset()
	w.tamper = nil
	w.judge.fail, w.judge.forged = tb.Errorf, false
	ctx := context.Background()
	if testing.Verbose() { // log the stacks of panics
		ctx = tflogtest.RootLogger(ctx, os.Stderr)
	}
	if diags := w.client.ConfigureProvider(ctx, provider.ConfigureProviderRequest{Config: w.kind.config}).Diagnostics; diags.HasErrors() {
		tb.Errorf("the provider cannot be configured: %v", diags)
	}
	for name, schema := range w.schema.StateStores {
		w.client.ConfigureStateStore(ctx, provider.ConfigureStateStoreRequest{TypeName: name, Config: schema.Body.EmptyValue(), ChunkSize: 100})
	}
	return ctx
}

// demoWorld returns the world of the demo provider.
var demoWorld = sync.OnceValues(func() (*world, error) {
	notes := new(notes)
	return newWorld(kind{
		make:  func() (provider.Interface, error) { return demo.NewIn(notes) },
		reset: func() { notes.files = make(map[string][]byte) },
		config: cty.ObjectVal(map[string]cty.Value{
			"directory": cty.StringVal("/notes"), "owner": cty.StringVal("ada"), "password": cty.StringVal("pass"),
		}),
		disturb: notes.disturb,
	})
})

// posixWorld returns the world of a provider with the resource types directory, file and
// symlink of the posix provider, and a host in memory.
var posixWorld = sync.OnceValues(func() (*world, error) {
	var h *memory.Host
	return newWorld(kind{
		make: func() (provider.Interface, error) {
			return runtime.New(runtime.Definition{
				Name: "posix",
				Config: runtime.MakeConfig(func(context.Context, *hosts.Provider) (*lifecycle.Hosts, error) {
					return lifecycle.NewHosts(h)
				}),
				Resources: map[string]runtime.ResourceRegistration{
					"directory": directory.Resource(), "file": file.Resource(), "symlink": symlink.Resource(),
				},
			})
		},
		reset:   func() { h = memory.New(memory.Config{Name: "local", Users: []host.User{{Name: "ada", UID: 7}}}) },
		disturb: func(l *life) { disturbHost(l, h) },
	})
})

func must(tb testing.TB, w func() (*world, error)) *world {
	tb.Helper()
	made, err := w()
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

// notes implements [demo.Storage] in memory.
type notes struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (n *notes) Read(name string) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if content, ok := n.files[name]; ok {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

func (n *notes) Write(name string, content []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[name] = content
	return nil
}

func (n *notes) Remove(name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.files[name]; !ok {
		return fs.ErrNotExist
	}
	delete(n.files, name)
	return nil
}

func (n *notes) List(directory string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var names []string
	for name := range n.files {
		if path.Dir(name) == directory {
			names = append(names, path.Base(name))
		}
	}
	if names == nil {
		return nil, fs.ErrNotExist
	}
	return names, nil
}

// disturb removes and changes random files.
func (n *notes) disturb(l *life) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(n.files)) {
		switch content := n.files[name]; l.r.IntN(6) {
		case 0:
			delete(n.files, name)
		case 1:
			n.files[name] = bytes.ReplaceAll(content, []byte(`"ada"`), []byte(`"eve"`))
		case 2:
			n.files[name] = bytes.ReplaceAll(content, []byte(`"main"`), []byte(`"attic"`))
		case 3:
			n.files[name] = bytes.ReplaceAll(content, []byte(`"Text": "`), []byte(`"Text": "changed `))
		case 4:
			n.files[name] = bytes.ReplaceAll(content, []byte(`"Title": "`), []byte(`"Title": "A `))
		}
	}
}

// disturbHost creates, changes or removes an object at one of places.
func disturbHost(l *life, h *memory.Host) {
	ctx := context.Background()
	at := pick(l.r, places...)
	switch l.r.IntN(6) {
	case 0:
		_ = h.Remove(ctx, at)
	case 1:
		_, _ = h.WriteFile(ctx, at, strings.NewReader(pick(l.r, "", "hello", "\xff\xfe", "other")), host.WriteOptions{})
	case 2:
		_, _ = h.Mkdir(ctx, at, host.Attributes{})
	case 3:
		_, _ = h.Symlink(ctx, pick(l.r, "/a", "x", "/"), at)
	case 4:
		_ = h.Rmdir(ctx, at)
	default:
		mode := host.Mode(l.r.IntN(0o10000))
		_, _ = h.SetAttributes(ctx, at, host.TypeUnknown, host.Attributes{Mode: &mode})
	}
}
