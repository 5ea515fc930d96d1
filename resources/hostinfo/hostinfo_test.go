package hostinfo_test

import (
	"cmp"
	"context"
	"io"
	"os"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

func TestHostData(t *testing.T) {
	t.Parallel()
	q := resourcetest.NewData(t, resourcetest.New(t, types), "posix_host")
	resourcetest.NoErrors(t, q.Read(nil))
	name, err := os.Hostname()
	resourcetest.Must(t, err)
	q.WantAttrs(attrs{"host": str("local"), "hostname": str(name), "user_id": cty.NumberIntVal(int64(os.Getuid()))})
	resourcetest.WantError(t, q.Read(attrs{"host": str("no such host")}), "host", "host")
}

// TestHostDataMissingFacts checks that numbers, lists, maps and the machine ID are null if a host does
// not provide them, and that a read runs one command.
func TestHostDataMissingFacts(t *testing.T) {
	t.Parallel()
	calls := 0
	h := memory.New(memory.Config{Name: "box", Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		calls++
		mark := cmd.Args[len(cmd.Args)-1]
		_, err := io.WriteString(cmd.Stdout, "hello, ada\n\n"+mark+" kernel\nPlan9\n\n"+mark+" ip\n\n"+mark+" end\n")
		return host.Result{}, err
	}})
	q := resourcetest.NewData(t, resourcetest.NewOn(t, types, h), "posix_host")
	resourcetest.NoErrors(t, q.Read(nil))
	q.WantAttrs(attrs{"host": str("box"), "kernel": str("Plan9"), "user_id": cty.NullVal(cty.Number), "memory_total": cty.NullVal(cty.Number)})
	for _, name := range []string{"addresses", "mounts", "os_release", "machine_id"} {
		if v := q.Result.GetAttr(name); !v.IsNull() {
			t.Errorf("%s is %#v, want null", name, v)
		}
	}
	if calls != 1 {
		t.Errorf("the read ran %d commands, want 1", calls)
	}
}

func TestHostDataErrors(t *testing.T) {
	t.Parallel()
	fails := func(run func(context.Context, host.Command) (host.Result, error), want ...string) {
		t.Helper()
		resourcetest.WantError(t, resourcetest.NewData(t, resourcetest.NewOn(t, types, memory.New(memory.Config{Name: "box", Run: run})), "posix_host").Read(nil), "", want...)
	}
	fails(nil, "host box cannot run commands")
	fails(func(_ context.Context, cmd host.Command) (host.Result, error) {
		_, err := io.WriteString(cmd.Stderr, "/bin/sh: not found\n")
		return host.Result{ExitCode: 127}, err
	}, "cannot read facts of host box", "exit code 127", "/bin/sh: not found")
	fails(func(context.Context, host.Command) (host.Result, error) { return host.Result{}, io.ErrUnexpectedEOF }, "box", "unexpected EOF")
	fails(func(ctx context.Context, cmd host.Command) (host.Result, error) {
		for range 64 {
			if _, err := cmd.Stdout.Write(make([]byte, 1<<20)); err != nil || ctx.Err() != nil {
				return host.Result{}, cmp.Or(err, ctx.Err())
			}
		}
		return host.Result{}, nil
	}, "was killed, because its output exceeded 32 MiB")
}
