package acctest

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/engine"
)

// EnvTiming is the environment variable that, if not empty, makes each test log the
// duration of its steps and of their provider calls.
const EnvTiming = "ACCTEST_TIMING"

// timing records the duration of the steps of a test. A nil timing records nothing.
type timing struct {
	mu    sync.Mutex
	steps []*stepTiming
}

type stepTiming struct {
	name  string
	begin time.Time
	took  time.Duration
	calls []engine.Call
}

// newTiming returns nil unless EnvTiming is set.
func newTiming() *timing {
	if os.Getenv(EnvTiming) == "" {
		return nil
	}
	return &timing{}
}

// observer returns the callback for engine.Options.
func (m *timing) observer() func(engine.Call) {
	if m == nil {
		return nil
	}
	return func(c engine.Call) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.steps) == 0 {
			return
		}
		last := m.steps[len(m.steps)-1]
		last.calls = append(last.calls, c)
	}
}

// begin ends the current step and begins another.
func (m *timing) begin(name string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	m.steps = append(m.steps, &stepTiming{name: name, begin: time.Now()})
}

func (m *timing) end() {
	if len(m.steps) > 0 {
		if last := m.steps[len(m.steps)-1]; last.took == 0 {
			last.took = time.Since(last.begin)
		}
	}
}

// report logs the table.
func (m *timing) report(t T) {
	if m == nil {
		return
	}
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	t.Logf("what it took:\n%s", table(m.steps))
}

// row sums up the calls of one RPC for one object in a step.
type row struct {
	rpc, object string
	calls       int
	total       time.Duration
}

const (
	barWidth  = 30
	tableHead = "%-60s %9s %6s\n"
	tableRow  = "%-60s %9s %5.1f%%  %s\n"
)

// table lists the steps and below each its provider calls, the longest first. Bars show
// the share of the whole test. Concurrent calls are added up, so that the calls of a
// step may take longer than the step.
func table(steps []*stepTiming) string {
	var whole time.Duration
	for _, s := range steps {
		whole += s.took
	}
	var b strings.Builder
	fmt.Fprintf(&b, tableHead, "test", round(whole), "")
	for _, s := range steps {
		line(&b, s.name, s.took, whole)
		rows := s.rows()
		var inCalls time.Duration
		for _, r := range rows {
			inCalls += r.total
			name := "  " + r.rpc
			if r.calls > 1 {
				name += fmt.Sprintf(" ×%d", r.calls)
			}
			line(&b, name+" "+r.object, r.total, whole)
		}
		if rest := s.took - inCalls; rest > 0 {
			line(&b, "  (engine and test)", rest, whole)
		}
	}
	return b.String()
}

func line(b *strings.Builder, name string, took, whole time.Duration) {
	share := 0.0
	if whole > 0 {
		share = float64(took) / float64(whole)
	}
	fmt.Fprintf(b, tableRow, name, round(took), 100*share, strings.Repeat("█", int(share*barWidth+0.5)))
}

func round(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(100 * time.Nanosecond)
	}
	return d.Round(10 * time.Microsecond)
}

func (s *stepTiming) rows() []row {
	type key struct{ rpc, object string }
	sums := map[key]*row{}
	for _, c := range s.calls {
		k := key{c.RPC, c.Object}
		if sums[k] == nil {
			sums[k] = &row{rpc: c.RPC, object: c.Object}
		}
		sums[k].calls++
		sums[k].total += c.Took
	}
	rows := make([]row, 0, len(sums))
	for _, r := range sums {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.rpc, b.rpc), cmp.Compare(a.object, b.object))
	})
	return rows
}
