package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// oneOfMany is one of many types. Its Defaults panics if broken is set.
type oneOfMany struct {
	crud[oneOfMany, none] `tf:"-"`
	A                     int64

	broken bool
}

func (o *oneOfMany) Defaults() {
	if o.broken {
		panic("no defaults today")
	}
	o.A = 3
}

// TestManyTypes checks that New, which compiles types concurrently, registers all of them,
// lists mistakes in the order of the names, and passes on the panic of a method.
func TestManyTypes(t *testing.T) {
	t.Parallel()
	const n = 100
	many := func(bad map[int]runtime.ResourceRegistration) map[string]runtime.ResourceRegistration {
		regs := map[string]runtime.ResourceRegistration{}
		for i := range n {
			regs[fmt.Sprintf("type%03d", i)] = runtime.MakeResource[oneOfMany, *none, runtime.NoConfig]()
			if reg, ok := bad[i]; ok {
				regs[fmt.Sprintf("type%03d", i)] = reg
			}
		}
		return regs
	}
	regs := many(nil)
	for range 2 { // the same registrations serve several providers
		p := newProvider(t, runtime.Definition{Name: "test", Resources: regs})
		if got := len(p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes); got != n {
			t.Errorf("got %d types, want %d", got, n)
		}
	}

	_, err := runtime.New(runtime.Definition{Name: "test", Resources: many(map[int]runtime.ResourceRegistration{
		7: {}, 70: runtime.MakeResource[badType, *none, runtime.NoConfig](),
	})})
	if err == nil || strings.Count(err.Error(), "resource test_type") != 2 ||
		strings.Index(err.Error(), "test_type007") > strings.Index(err.Error(), "test_type070") {
		t.Errorf("two invalid types: got error %v, want the errors of both types in order", err)
	}

	defer func() {
		if r := recover(); r != "no defaults today" {
			t.Errorf("the panic of a method is %v, want %q", r, "no defaults today")
		}
	}()
	_, _ = runtime.New(runtime.Definition{Name: "test", Resources: many(map[int]runtime.ResourceRegistration{
		50: runtime.MakeResourceWith[oneOfMany, *none, runtime.NoConfig](func() *oneOfMany { return &oneOfMany{broken: true} }),
	})})
	t.Error("New returned, want the panic of the method")
}
