package states

import (
	"fmt"
	"math/rand/v2"
)

// DeposedKey names a deposed object of an instance: 8 hexadecimal digits.
type DeposedKey string

// NotDeposed is no key: the object is current.
const NotDeposed = DeposedKey("")

// NewDeposedKey is a random key. There are few of them, so the caller has to see
// that it is not in use; [ResourceInstance.FindUnusedDeposedKey] does.
func NewDeposedKey() DeposedKey {
	return DeposedKey(fmt.Sprintf("%08x", rand.Uint32())) //nolint:gosec // a name, not a secret
}

// String is the key itself.
func (k DeposedKey) String() string { return string(k) }

// GoString tells a key from its absence in the output of tests.
func (k DeposedKey) GoString() string {
	if k == NotDeposed {
		return "states.NotDeposed"
	}
	return fmt.Sprintf("states.DeposedKey(%q)", string(k))
}

// Generation is k as a generation: CurrentGen for NotDeposed.
func (k DeposedKey) Generation() Generation {
	if k == NotDeposed {
		return CurrentGen
	}
	return k
}

func (DeposedKey) generation() {}

// Generation tells the objects of one instance apart: CurrentGen, or the
// DeposedKey of one that is to be deleted. Generations are comparable. Nil is
// none and must not be used.
type Generation interface {
	generation()
}

// CurrentGen is the generation of the object that the instance has now.
var CurrentGen Generation = currentGen{}

type currentGen struct{}

func (currentGen) generation() {}

// GoString is how tests show it.
func (currentGen) GoString() string { return "states.CurrentGen" }
