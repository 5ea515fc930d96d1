package perlfs

import (
	"strings"
	"testing"
)

// faulty is a reader whose Read panics.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("a mistake") }

// TestFaultIsError checks that decode returns a panic as an error.
func TestFaultIsError(t *testing.T) {
	t.Parallel()
	if list, err := decode(faulty{}); err == nil || !strings.Contains(err.Error(), "caused a panic") {
		t.Errorf("decode returned %q, error %v, want an error about the panic", list, err)
	}
}
