package lifecycle_test

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// TestPending checks that all operations on a host with unknown settings fail with an error
// that names these settings.
func TestPending(t *testing.T) {
	t.Parallel()
	h := lifecycle.NewPending("web", `hosts["web"].address`)
	if pending, other := lifecycle.Pending(h), lifecycle.Pending(memory.New(memory.Config{})); !pending || other || h.Name() != "web" {
		t.Errorf("Pending returns %t for the host %s and %t for a known host, want true for web and false", pending, h.Name(), other)
	}
	v := reflect.ValueOf(h)
	for i := range v.NumMethod() {
		method := v.Type().Method(i)
		if method.Name == "Name" {
			continue
		}
		in := []reflect.Value{reflect.ValueOf(t.Context())}
		for j := 1; j < v.Method(i).Type().NumIn(); j++ {
			arg := reflect.New(v.Method(i).Type().In(j)).Elem()
			if arg.Kind() == reflect.String {
				arg.SetString("/etc/motd")
			}
			in = append(in, arg)
		}
		out := v.Method(i).Call(in)
		err, _ := reflect.TypeAssert[error](out[len(out)-1])
		if _, ok := err.(*host.Error); !ok || !strings.Contains(err.Error(), `hosts["web"].address`) { //nolint:errorlint // the contract requires this type
			t.Errorf("%s: %v, want a *host.Error that names the setting of the host", method.Name, err)
		}
		if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the error is %v, want an error that does not report a missing object", method.Name, err)
		}
		if _, notStarted := errors.AsType[*host.NotStartedError](err); notStarted != (method.Name == "Run") {
			t.Errorf("%s: the error is a NotStartedError: %t, want true for Run only", method.Name, notStarted)
		}
	}
}
