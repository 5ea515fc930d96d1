package directorylist_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// eventually calls the function is until it returns true, and fails the test if that takes more than a minute.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%s: the condition was not met within a minute; goroutines:\n%s", what, stacks[:goruntime.Stack(stacks, true)])
		}
	}
}

// running reports whether a process has text in its command line.
func running(t *testing.T, text string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	resourcetest.Must(t, err)
	for _, name := range lines {
		if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), text) { // an error means that the process has ended
			return true
		}
	}
	return false
}

// TestInterrupted lists files over SSH and ends the list early, as if the client had ended, had enough
// results, or requested a stop. It checks that no process on the host and no goroutine is left, and
// that the files can be listed again.
func TestInterrupted(t *testing.T) { //nolint:paralleltest // the test counts goroutines
	dir := resourcetest.TempDir(t)
	tools, files := filepath.Join(dir, "tools"), filepath.Join(dir, "files")
	key := sshdtest.NewKey(t)
	server := sshdtest.Start(t, sshdtest.Config{
		Users: []sshdtest.User{sshdtest.Me(key.PublicKey())},
		Lines: []string{"SetEnv PATH=" + tools + ":/usr/local/bin:/usr/bin:/bin"},
	})
	resourcetest.Must(t, os.Mkdir(tools, 0o755), os.Mkdir(files, 0o755))
	for i := range 4 {
		resourcetest.Write(t, filepath.Join(files, fmt.Sprint(i)), "content", 0o644)
	}
	// While this program exists, the search on the host does not end. The program has a child process.
	find, started := filepath.Join(tools, "find"), filepath.Join(dir, "started")
	hang := func() {
		t.Helper()
		resourcetest.Write(t, find, "#!/bin/sh\n>'"+started+"'\nsh -c 'while :; do sleep 1; done' '"+tools+"/child'\n", 0o755)
	}
	goroutines := goruntime.NumGoroutine()
	fleet := resourcetest.NewFleet(t, resourcetest.Provider(types), resourcetest.Attrs{
		"user": cty.StringVal(sshdtest.Me().Name), "private_key_path": cty.StringVal(key.File(t, "")), "ssh_config": cty.StringVal("none"),
		"default_host": cty.StringVal("web"),
	}, map[string]resourcetest.Attrs{"web": {
		"address": cty.StringVal(server.Host()), "port": cty.NumberIntVal(int64(server.Port())),
		"host_key": cty.ListVal([]cty.Value{cty.StringVal(ssh.FingerprintSHA256(server.HostKey()))}),
	}})
	protocol, err := tfprotov6.NewServer(t.Context(), fleet)
	resourcetest.Must(t, err)
	client, err := tfprotov6.NewClient(protocol)
	resourcetest.Must(t, err)
	req := provider.ListResourceRequest{TypeName: "posix_file", IncludeResourceObject: true, Config: cty.ObjectVal(map[string]cty.Value{
		"host": cty.NullVal(cty.String), "path": cty.StringVal(files), "recursive": cty.True, "pattern": cty.NullVal(cty.String),
	})}
	// list returns the number of objects, and the diagnostics. It calls the function each after
	// every result, and stops if each returns false.
	list := func(ctx context.Context, each func() bool) (n int, diags diag.Diagnostics) {
		resp := client.ListResource(ctx, req)
		if diags = resp.Diagnostics; resp.Results == nil {
			return 0, diags
		}
		for r := range resp.Results {
			diags = append(diags, r.Diagnostics...)
			if r.Identity != cty.NilVal && !r.Identity.IsNull() {
				n++
			}
			if !each() {
				break
			}
		}
		return n, diags
	}
	all := func() bool { return true }
	whole := func() {
		t.Helper()
		if n, diags := list(t.Context(), all); n != 4 || diags.HasErrors() {
			t.Errorf("a whole list has %d objects, want 4: %v", n, diags)
		}
	}
	whole()
	// A stop waits for the end of the list.
	stopped := make(chan error, 1)
	for name, interrupt := range map[string]func(gone context.CancelFunc){
		"client gone": func(gone context.CancelFunc) {
			gone()
			stopped <- nil
		},
		"stop": func(context.CancelFunc) { go func() { stopped <- client.Stop(t.Context()) }() },
	} {
		hang()
		ctx, gone := context.WithCancel(t.Context())
		ended := make(chan diag.Diagnostics, 1)
		go func() {
			_, diags := list(ctx, all)
			ended <- diags
		}()
		eventually(t, "a search", func() bool {
			_, err := os.Stat(started)
			return !errors.Is(err, fs.ErrNotExist) && running(t, tools+"/child")
		})
		interrupt(gone)
		if diags := <-ended; !diags.HasErrors() {
			t.Errorf("%s: the list ended without an error", name)
		}
		gone()
		resourcetest.Must(t, <-stopped)
		eventually(t, "no process on the host", func() bool { return !running(t, tools) })
		resourcetest.Must(t, os.Remove(find), os.Remove(started))
		whole()
	}
	ctx, gone := context.WithCancel(t.Context())
	defer gone()
	n, diags := list(ctx, func() bool {
		gone()
		return true
	})
	if n != 1 || !diags.HasErrors() {
		t.Errorf("%d objects were listed, want 1 and an error: %v", n, diags)
	}
	n, diags = list(t.Context(), func() bool { return false })
	if n != 1 || diags.HasErrors() {
		t.Errorf("%d objects were listed, want 1 and no error: %v", n, diags)
	}
	whole()
	resourcetest.Must(t, fleet.Close())
	eventually(t, "no goroutine of the list", func() bool { return goruntime.NumGoroutine() <= goroutines })
}
