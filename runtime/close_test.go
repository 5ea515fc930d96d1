package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// line is a Config that has to be closed.
type line struct{ closed int }

var errLine = errors.New("the line was cut")

func (l *line) Close() error {
	l.closed++
	return errLine
}

// TestCloseClosesTheConfig: what configuring has opened ends with the provider.
func TestCloseClosesTheConfig(t *testing.T) {
	t.Parallel()
	l := &line{}
	p := newProvider(t, runtime.Definition{Name: "test", Config: runtime.MakeConfig(func(context.Context, *struct{}) (*line, error) { return l, nil })})
	if err := p.Close(); err != nil || l.closed != 0 {
		t.Errorf("before it was configured: %v, closed %d times", err, l.closed)
	}
	p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.EmptyObjectVal})
	if err := p.Close(); !errors.Is(err, errLine) || l.closed != 1 {
		t.Errorf("closed %d times (%v)", l.closed, err)
	}
	if err := p.Close(); err != nil || l.closed != 1 {
		t.Errorf("a second time: %v, closed %d times", err, l.closed)
	}
}
