//go:build unix

package shellrpc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
)

// newHelper returns a helper, and the keeper of its session, which is closed when the test ends.
func newHelper(t *testing.T, s *remotetest.Starter) (*shellrpc.Helper, *remotetest.Keeper[*shellrpc.Session]) {
	t.Helper()
	keeper := &remotetest.Keeper[*shellrpc.Session]{}
	t.Cleanup(keeper.Close)
	return shellrpc.NewHelper(s, keeper), keeper
}

// say returns a request that runs before and then prints value.
func say(value string, before ...shell.Text) shellrpc.Request {
	return shellrpc.Request{Text: shell.Join(append(before, shell.Call("printf %s", value), shell.Fixed("px_b"))...), Blocks: 1}
}

func wantReplies(t *testing.T, h *shellrpc.Helper, values ...string) {
	t.Helper()
	requests := make([]shellrpc.Request, len(values))
	for i, value := range values {
		requests[i] = say(value)
	}
	replies, err := h.Do(t.Context(), requests...)
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range values {
		if len(replies[i]) != 1 || replies[i][0] != value {
			t.Errorf("reply %d is %.40q, want %.40q", i, replies[i], value)
		}
	}
}

func TestRepliesAreExact(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		s.Noise = "echo hello; echo there >&2; printf 'no newline'"
		h, _ := newHelper(t, s)
		wantReplies(t, h, append(oddNames, "", "\n\n", "+", ".", strings.Repeat("x\n", 20_000))...)
		replies, err := h.Do(t.Context(), shellrpc.Request{Text: shell.Fixed(`printf 'a\0+\0.'; px_b; px_b; cat; cat /dev/null; printf '\377\0'; px_b`), Blocks: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(replies[0], "|"); got != "a\x00+\x00.||\xff\x00" {
			t.Errorf("blocks %q, want %q", got, "a\x00+\x00.||\xff\x00")
		}
		replies, err = h.Do(t.Context(), shellrpc.Request{Text: shell.Fixed(`printf 'in two'; printf %.9s "$px_k"; sleep 0.3; printf '%s+' "${px_k#?????????}"`), Blocks: 1})
		if err != nil || replies[0][0] != "in two" {
			t.Errorf("reply %q, error %v, want \"in two\"", replies, err)
		}
		wantReplies(t, h, "and on")
		if s.Starts() != 1 {
			t.Errorf("%d processes were started, want 1", s.Starts())
		}
	})
}

func TestDefinitionsHoldForEachProcess(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	h, keeper := newHelper(t, s)
	check := func(text shell.Text) {
		t.Helper()
		replies, err := h.Do(t.Context(), shellrpc.Request{Text: text, Blocks: 1})
		if err != nil || replies[0][0] != "<x>" {
			t.Errorf("reply %q, error %v, want <x>", replies, err)
		}
	}
	h.Define(shell.Fixed(`one() { printf '<%s>' "$1"; px_b; }`))
	check(shell.Call("one", "x"))
	h.Define(shell.Fixed(`two() { one "$1"; }`))
	check(shell.Call("two", "x"))
	keeper.Close()
	check(shell.Call("two", "x"))
	if s.Starts() != 2 {
		t.Errorf("%d processes were started, want 2", s.Starts())
	}
}

// TestProcessEnds checks that a process that ended is replaced, and that no request with
// an effect is repeated.
func TestProcessEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, tt := range []struct {
		name   string
		before shell.Text // runs in the process before the request
		after  time.Duration
		text   shell.Text // the request
		effect bool
		fails  bool
		marks  int // number of times that the request ran
	}{
		{name: "between two requests", before: shell.Fixed("(sleep 0.1; kill -KILL $$) &"), after: time.Second, effect: true, marks: 1},
		{name: "in a request", text: shell.Fixed(`[ -n "$again" ] || [ -e "$f.2" ] || { : >"$f.2"; kill -KILL $$; }`), marks: 2},
		{name: "in a request with an effect", text: shell.Fixed(`[ -e "$f.2" ] || { : >"$f.2"; kill -KILL $$; }`), effect: true, fails: true, marks: 1},
		{name: "by a syntax error", text: shell.Fixed("if"), fails: true, marks: 2},
		{name: "by exit", text: shell.Fixed("exit 0"), fails: true, marks: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &remotetest.Starter{}
			h, _ := newHelper(t, s)
			if _, err := h.Do(t.Context(), shellrpc.Request{Text: tt.before}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(tt.after)
			file := filepath.Join(dir, fmt.Sprint(i))
			_, err := h.Do(t.Context(), shellrpc.Request{
				Text: shell.Join(
					shell.Call("f=;set --", file), shell.Fixed(`f=$1; echo x >>"$f"`), tt.text, shell.Fixed("px_b")),
				Blocks: 1, Effect: tt.effect,
			})
			if (err != nil) != tt.fails {
				t.Errorf("error %v, want an error: %t", err, tt.fails)
			}
			marks, _ := os.ReadFile(file) // the file may not exist
			if got := strings.Count(string(marks), "x"); got != tt.marks {
				t.Errorf("the request ran %d times, want %d", got, tt.marks)
			}
			wantReplies(t, h, "and on")
		})
	}
}

func TestWrongNumberOfBlocks(t *testing.T) {
	t.Parallel()
	h, _ := newHelper(t, &remotetest.Starter{})
	for _, text := range []shell.Text{shell.Fixed("echo why >&2"), shell.Fixed("px_b; px_b")} {
		if _, err := h.Do(t.Context(), shellrpc.Request{Text: text, Blocks: 1}); err == nil {
			t.Error("Do returned no error for a wrong number of blocks")
		}
		wantReplies(t, h, "and on")
	}
}

func TestRequestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, noSignals := range []bool{false, true} {
		t.Run(fmt.Sprint("no signals ", noSignals), func(t *testing.T) {
			t.Parallel()
			const lives = time.Minute
			s := &remotetest.Starter{NoSignals: noSignals}
			h, _ := newHelper(t, s)
			late := filepath.Join(t.TempDir(), "late")
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			begun := time.Now()
			_, err := h.Do(ctx, say("x", shell.Call("set --", late, fmt.Sprint(int(lives.Seconds()))), shell.Fixed(`sh -c 'sleep "$2"; : >"$1"' sh "$@"`)))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
			}
			wantReplies(t, h, "and on")
			remotetest.WaitGone(t, late)
			if took := time.Since(begun); took > lives {
				t.Errorf("the requests took %s, want at most %s", took, lives)
			}
			if _, err := os.Stat(late); err == nil {
				t.Error("a child process was not killed")
			}
		})
	}
}

// TestCanceledRequest checks that the requests before and after a canceled one are
// completed by another process.
func TestCanceledRequest(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	h, _ := newHelper(t, s)
	wantReplies(t, h, "begun")
	file := filepath.Join(t.TempDir(), "file")
	const n = 5
	given := n / 2
	begun := s.Writes()
	sent := func(n int) { // waits until n requests are sent
		for s.Writes() < begun+n {
			time.Sleep(time.Millisecond)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := together(n, func(i int) error {
		sent(i)
		if i == n-1 {
			go func() {
				sent(n)
				cancel()
				_ = os.WriteFile(file, nil, 0o600) // otherwise the first request never ends
			}()
		}
		q, mine := say(fmt.Sprint(i)), t.Context()
		switch i {
		case 0:
			q = held(file)
		case given:
			mine = ctx
		}
		replies, err := h.Do(mine, q)
		switch {
		case i == given && !errors.Is(err, context.Canceled):
			return errors.Join(err, fmt.Errorf("the canceled caller got %q, want context canceled", replies))
		case i == given:
			return nil
		case err == nil && i > 0 && replies[0][0] != fmt.Sprint(i):
			return fmt.Errorf("reply %q, want %d", replies, i)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if s.Starts() != 3 {
		t.Errorf("%d processes were started, want 3: two shells, and a process that killed the first shell", s.Starts())
	}
}
