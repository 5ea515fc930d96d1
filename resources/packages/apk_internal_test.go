package packages

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// TestAddVersionsScript checks that the script adds packages with their versions, and then without versions.
func TestAddVersionsScript(t *testing.T) {
	t.Parallel()
	script := `apk() { echo "$@"; [ "$6" != bad=1-r0 ]; }` + "\n" + strings.ReplaceAll(addVersionsScript, "exec apk", "apk")
	for want, packages := range map[string][]string{
		"nginx=1.24.0-r10 curl libstdc++=12~a\nnginx curl libstdc++\n": {"nginx=1.24.0-r10", "curl", "libstdc++=12~a"},
		"bad=1-r0 curl\n": {"bad=1-r0", "curl"}, // the first call fails
	} {
		out, _ := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", script, "sh"}, packages...)...).CombinedOutput()
		if got := strings.ReplaceAll(string(out), "--no-progress --wait 600 add -- ", ""); got != want {
			t.Errorf("%q: %q, want %q", packages, got, want)
		}
	}
}

// TestApkHoldKeepsTag checks that a hold, and its removal, keep the tag of a package in the world file.
func TestApkHoldKeepsTag(t *testing.T) {
	t.Parallel()
	var added string
	h := memory.New(memory.Config{Name: "web", Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
		if args := remotecmd.Program(cmd); len(args) > 0 {
			added = args[len(args)-1]
		}
		return host.Result{ExitCode: 1}, nil
	}})
	for held, want := range map[bool]string{true: "nginx@edge=1.24.0-r10", false: "nginx@edge"} {
		err := apk{}.hold(t.Context(), &lifecycle.Scope{Host: h}, []packageState{{name: "nginx", version: "1.24.0-r10", tag: "@edge"}}, held)
		if err == nil || added != want {
			t.Errorf("held: %t: added %q, want %q (%v)", held, added, want, err)
		}
	}
}

// TestApkHoldFails checks that the error of a hold, but not that of its removal, explains which versions apk can hold.
func TestApkHoldFails(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web", Run: func(context.Context, host.Command) (host.Result, error) {
		return host.Result{ExitCode: 1}, nil
	}})
	for _, held := range []bool{true, false} {
		err := apk{}.hold(t.Context(), &lifecycle.Scope{Host: h}, []packageState{{name: "nginx", version: "1.24.0-r10"}}, held)
		if err == nil || strings.Contains(err.Error(), "apk can only hold") != held {
			t.Errorf("held: %t: the error is %v, want the explanation only for held: true", held, err)
		}
	}
}
