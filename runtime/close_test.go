package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// line is a Config that must be closed.
type line struct{ closed int }

var errLine = errors.New("the line was cut")

func (l *line) Close() error {
	l.closed++
	return errLine
}

// TestCloseClosesTheConfig checks that Close of the provider closes the Config once, and returns its error.
func TestCloseClosesTheConfig(t *testing.T) {
	t.Parallel()
	l := &line{}
	p := newProvider(t, runtime.Definition{Name: "test", Config: runtime.MakeConfig(func(context.Context, *struct{}) (*line, error) { return l, nil })})
	if err := p.Close(); err != nil || l.closed != 0 {
		t.Errorf("Close before ConfigureProvider: %v, closed %d times, want nil and 0 times", err, l.closed)
	}
	p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.EmptyObjectVal})
	if err := p.Close(); !errors.Is(err, errLine) || l.closed != 1 {
		t.Errorf("first Close: closed %d times with the error %v, want once with %v", l.closed, err, errLine)
	}
	if err := p.Close(); err != nil || l.closed != 1 {
		t.Errorf("second Close: %v, closed %d times, want nil and once", err, l.closed)
	}
}

// TestConfigIsNotClosed checks that New rejects a Config if only its pointer has the method Close.
func TestConfigIsNotClosed(t *testing.T) {
	t.Parallel()
	refusedWith(t, runtime.Definition{
		Name:   "test",
		Config: runtime.MakeConfig(func(context.Context, *struct{}) (line, error) { return line{}, nil }),
	}, "the method Close has the receiver *runtime_test.line and would never be called for the Config runtime_test.line")
}

// phone is a provider block with the number of a line.
type phone struct{ Number string }

// Dial is an action that waits, and then fails if its line is closed.
type Dial struct{ waits chan struct{} }

func (d *Dial) Invoke(_ context.Context, l *line, report func(string)) error {
	report("ringing")
	<-d.waits
	if l.closed > 0 {
		return errLine
	}
	return nil
}

// TestConfiguredAgain checks that a replaced Config is closed once, when no operation
// uses it any more.
func TestConfiguredAgain(t *testing.T) {
	t.Parallel()
	lines := map[string]*line{"1": {}, "2": {}}
	waits := make(chan struct{})
	p := newProvider(t, runtime.Definition{
		Name: "test",
		Config: runtime.MakeConfig(func(_ context.Context, b *phone) (*line, error) {
			if l := lines[b.Number]; l != nil {
				return l, nil
			}
			return nil, errors.New("no such number")
		}),
		Actions: map[string]runtime.ActionRegistration{"dial": runtime.MakeActionWith[Dial, *line](func() *Dial { return &Dial{waits} })},
	})
	configure := func(number cty.Value) bool {
		resp := p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.ObjectVal(map[string]cty.Value{"number": number})})
		return !resp.Diagnostics.HasErrors()
	}
	want := func(when string, one, two int) {
		t.Helper()
		if lines["1"].closed != one || lines["2"].closed != two {
			t.Errorf("%s: the lines are closed %d and %d times, want %d and %d", when, lines["1"].closed, lines["2"].closed, one, two)
		}
	}
	dial := func(meanwhile func()) {
		t.Helper()
		resp := p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: "test_dial", Config: cty.EmptyObjectVal})
		if resp.Diagnostics.HasErrors() {
			t.Fatal(resp.Diagnostics)
		}
		meanwhile()
		for event := range resp.Events {
			if done, ok := event.(provider.ActionCompleted); ok && done.Diagnostics.HasErrors() {
				t.Error(done.Diagnostics)
			}
		}
	}
	for _, number := range []string{"1", "1", "3"} {
		if lines[number] != nil != configure(str(number)) {
			t.Fatalf("success of the configuration with the number %s: %t, want %t", number, lines[number] == nil, lines[number] != nil)
		}
	}
	want("after the same configuration and an invalid one", 0, 0)
	go func() {
		for range 2 {
			waits <- struct{}{}
		}
	}()
	dial(func() {
		configure(str("2"))
		want("while the old one is in use", 0, 0)
	})
	want("after the last operation with the old one", 1, 0)
	dial(func() {})
	want("after an operation with the new one", 1, 0)
	configure(cty.UnknownVal(cty.String))
	want("after an unknown configuration", 1, 1)
}

// fuse is a Config whose Close fails.
type fuse struct{ blow func() error }

func (f *fuse) Close() error { return f.blow() }

// TestReplacedConfigCannotBeClosed checks that ConfigureProvider succeeds if Close of the replaced Config
// returns an error or panics, and that the log does not contain the secret in the text of the error or panic.
func TestReplacedConfigCannotBeClosed(t *testing.T) {
	t.Parallel()
	for name, blow := range map[string]func() error{
		"error": func() error { return errors.New("cannot log out with " + theSecret) },
		"panic": func() error { panic("cannot log out with " + theSecret) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			ctx := tflogtest.RootLogger(t.Context(), &log)
			p := newProvider(t, runtime.Definition{Name: "test", Config: runtime.MakeConfig(func(context.Context, *struct{}) (*fuse, error) { return &fuse{blow}, nil })})
			for range 2 {
				if resp := p.ConfigureProvider(ctx, provider.ConfigureProviderRequest{Config: cty.EmptyObjectVal}); resp.Diagnostics.HasErrors() {
					t.Error(resp.Diagnostics)
				}
			}
			if !strings.Contains(log.String(), "cannot close") || strings.Contains(log.String(), theSecret) {
				t.Errorf("the log is %s, want a message with \"cannot close\", and no secret", log.String())
			}
			if err := p.Close(); err == nil {
				t.Error("Close returns no error, want the error of the last Config")
			}
		})
	}
}
