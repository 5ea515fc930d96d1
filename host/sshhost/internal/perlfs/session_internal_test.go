package perlfs

import (
	"strings"
	"testing"
)

// faulty is a reader whose Read panics.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("a mistake") }

// TestFaultIsError checks that a panic while a reply is decoded does not end the process.
func TestFaultIsError(t *testing.T) {
	t.Parallel()
	if list, err := decode(faulty{}); err == nil || !strings.Contains(err.Error(), "caused a panic") {
		t.Errorf("got %q, error %v", list, err)
	}
}
