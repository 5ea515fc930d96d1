package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Each type of this group has a mistake, or gets one from some types of session.
type (
	nearRenew struct {
		source[*none, runtime.NoSession] `tf:"-"`
	}
	nearClose struct {
		source[*none, runtime.NoSession] `tf:"-"`
	}
	closable[Session any] struct {
		source[*none, Session] `tf:"-"`
	}
	unused struct {
		source[*none, string] `tf:"-"`
	}
)

func (nearRenew) Renew(context.Context, runtime.NoConfig, runtime.NoSession) error { return nil }
func (nearClose) Close() error                                                     { return nil }
func (closable[Session]) Close(context.Context, runtime.NoConfig, Session) error   { return nil }

type (
	hidden      struct{ Parts []hiddenPart }
	hiddenPart  struct{ secret string } //nolint:unused // it would be lost
	embedsText  struct{ nearWord }
	pointed     struct{ *pointedPart }
	pointedPart struct{ Plain string }
	spoken      struct {
		At    time.Time
		Names map[string]*spokenPart
		Skip  chan int `json:"-"`
	}
	spokenPart struct {
		Self []spokenPart
		Text runtime.Duration
	}
)

func ephemeralOf[In, Session any, P interface {
	*In
	runtime.TypedEphemeral[*none, Session, runtime.NoConfig]
}]() runtime.Definition {
	return runtime.Definition{Name: "test", EphemeralResources: map[string]runtime.EphemeralRegistration{
		"x": runtime.MakeEphemeral[In, *none, Session, runtime.NoConfig, P](),
	}}
}

func TestMistakesOfEphemerals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		def  runtime.Definition
		want []string
	}{
		"near miss Renew":                {ephemeralOf[nearRenew, runtime.NoSession](), []string{"Renew", "NoSession) error", "runtime.Lease["}},
		"near miss Close":                {ephemeralOf[nearClose, runtime.NoSession](), []string{"Close", "func() error", "NoSession) error"}},
		"unused session":                 {ephemeralOf[unused, string](), []string{"string", "Renew", "Close", "NoSession"}},
		"session of a channel":           {ephemeralOf[closable[chan int], chan int](), []string{"chan int", "JSON"}},
		"session of an interface":        {ephemeralOf[closable[error], error](), []string{"error", "JSON"}},
		"session with unexported fields": {ephemeralOf[closable[hidden], hidden](), []string{"hidden.Parts.secret", "lost"}},
		"session with embedded text":     {ephemeralOf[closable[embedsText], embedsText](), []string{"embedsText.nearWord", "lost"}},
		"session with embedded pointer":  {ephemeralOf[closable[pointed], pointed](), []string{"pointed.pointedPart", "lost"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedWith(t, tt.def, append(tt.want, "test_x")...)
		})
	}
	newProvider(t, ephemeralOf[closable[spoken], spoken]()) // JSON preserves the session
	newProvider(t, ephemeralOf[closable[*hiddenNot], *hiddenNot]())
}

type hiddenNot struct{ Plain [3]byte }
