package runtime_test

import (
	"math"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/runtime"
)

type ruledA struct{ A *string }

func (*ruledA) Constraints() []runtime.Constraint { return nil }

type ruledB struct{ B *string }

func (*ruledB) Constraints() []runtime.Constraint { return nil }

type ruledTwice struct {
	ruledA
	ruledB
}

type blockInside struct {
	Inner []ruledA `tf:",block"`
}

type decidedSecret struct {
	Own *unit `tf:",writeonly"`
}

type notANumber struct{ A *float64 }

func (*notANumber) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtLeast("a", math.NaN())}
}

type embeddedPointer struct{ *ruledA }

func registerHolder[P any]() error {
	reg := runtime.MakeResource[Holder[P], *HolderOutput[P], runtime.NoConfig]()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"x": reg}})
	return err
}

func TestInvalidUnusualTypes(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"ambiguous promoted method":                 {registerHolder[*ruledTwice](), "method Constraints of the embedded runtime_test.ruledA would never be called"},
		"a block in an attribute":                   {registerHolder[*blockInside](), "cannot have blocks inside"},
		"computed attribute in a write-only struct": {registerHolder[*decidedSecret](), "neither it nor its attributes can be computed"},
		"an embedded pointer":                       {registerHolder[*embeddedPointer](), "embed the struct itself"},
		"a bound that is not a number":              {registerHolder[*notANumber](), "NaN"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: %v", name, test.err)
		}
	}
}

// TestComputedStructInside checks that inside a computed struct nothing is configurable.
func TestComputedStructInside(t *testing.T) {
	type disk struct{ Size int64 }
	type host struct {
		Key   string
		Disks []disk `tf:",computed"`
	}
	_, d := newHolder[*host](t)
	disks := d.schema.Body.Attributes["v"].NestedType.Attributes["disks"]
	if size := disks.NestedType.Attributes["size"]; size.Required || !size.Computed {
		t.Errorf("size is %+v", size)
	}
}
