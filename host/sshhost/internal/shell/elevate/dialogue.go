package elevate

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

const (
	// answerTime is how long sudo may take to start the program, including the password prompt.
	// A directory service can make sudo slow.
	answerTime = time.Minute
	// endTime is how long sudo may take to print its error message and exit.
	endTime   = 5 * time.Second
	maxOutput = 64 << 10
)

// dialogue is the exchange with sudo before the program starts.
type dialogue struct {
	user     string
	password *string
	prompt   string // password prompt of sudo; empty without a password
	mark     string // printed by the program's shell when it starts

	sent, wrong    bool
	sudoOutput     bytes.Buffer // output of sudo on stderr
	stdout, stderr *bufio.Reader
}

func newDialogue(user string, password *string) *dialogue {
	d := &dialogue{user: user, password: password, mark: rand.Text()}
	if password != nil {
		d.prompt = "[password " + rand.Text() + "]"
	}
	return d
}

var (
	errSecondPrompt  = errors.New("sudo prompted again")
	errTooMuchOutput = errors.New("sudo printed too much output")
)

// run runs the dialogue until sudo has started the program, and returns the program. After an
// error it ends p. If sudo rejects the password or fails with an exit status, the error is a [*RefusedError].
func (d *dialogue) run(ctx context.Context, p *shell.Process) (remote.Process, error) {
	d.stdout, d.stderr = bufio.NewReader(p.Stdout()), bufio.NewReader(p.Stderr())
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	stop := context.AfterFunc(limited, func() { abandon(p) })
	var all sync.WaitGroup
	var outErr, errErr error
	all.Go(func() { _, outErr = until(d.stdout, nil, "\n"+d.mark+"\n") })
	all.Go(func() {
		if errErr = d.answer(p); errErr != nil {
			// sudo exits at the end of its input. Wait a moment for its last message.
			_ = p.Stdin().Close()
			d.readRest(p)
		}
	})
	all.Wait()
	if stop() && outErr == nil && errErr == nil {
		return &process{Process: p, stdout: d.stdout, stderr: d.stderr}, nil
	}
	defer abandon(p)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("cannot become %s: sudo did not start the program within %s. Check whether sudo is slow or prompts for something other than a password. Output of sudo: %s",
			d.user, answerTime, d.messages())
	case errors.Is(errErr, errTooMuchOutput), errors.Is(outErr, errTooMuchOutput):
		return nil, fmt.Errorf("cannot become %s: %w", d.user, errTooMuchOutput)
	}
	select {
	case <-p.Ended():
		// A second prompt rejects the password, even if sudo then does not exit by itself.
		if _, err := p.Wait(); err != nil && !d.wrong {
			return nil, err
		}
	default: // stdout ended before the mark, but the process still runs
	}
	return nil, &RefusedError{User: d.user, HasPassword: d.password != nil, PasswordSent: d.sent, Wrong: d.wrong, Said: d.messages()}
}

// answer sends the password at the prompt and reads up to the start of the program's output.
func (d *dialogue) answer(p *shell.Process) error {
	marks := []string{"\n" + d.mark + "\n"}
	if d.prompt != "" {
		marks = append(marks, d.prompt)
	}
	for {
		which, err := until(d.stderr, &d.sudoOutput, marks...)
		switch {
		case err != nil:
			return err
		case which == 0:
			return nil
		case d.sent:
			d.wrong = true
			return errSecondPrompt
		}
		d.sent = true
		if _, err := io.WriteString(p.Stdin(), *d.password+"\n"); err != nil {
			return err
		}
	}
}

// readRest reads the rest of sudo's messages and unblocks the reader of its stdout.
func (d *dialogue) readRest(p *shell.Process) {
	timer := time.AfterFunc(endTime, func() { abandon(p) })
	defer timer.Stop()
	_, _ = until(d.stderr, &d.sudoOutput) // up to the end of the stream
	<-p.Ended()
	_ = p.Close() // no more output follows
}

func abandon(p *shell.Process) {
	_ = p.Stdin().Close() // may be closed already
	_ = p.Signal("KILL")  // a root process survives this signal, but ends with its input
	_ = p.Close()         // no data can be lost
}

// messages returns the last 600 bytes of sudo's output on stderr, without the prompts and on one line.
func (d *dialogue) messages() string {
	text := d.sudoOutput.String()
	if d.prompt != "" {
		text = strings.ReplaceAll(text, d.prompt, "")
	}
	text = strings.ToValidUTF8(text[max(0, len(text)-600):], "?")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " / ")
	return strings.TrimSuffix(text, ".") // a sentence may follow
}

// until reads up to the first of several marks and returns its index. It copies the data to
// kept, unless that is nil. If maxOutput bytes have no mark, the error is errTooMuchOutput.
func until(r *bufio.Reader, kept *bytes.Buffer, marks ...string) (int, error) {
	seen := []byte("\n") // so that a mark at the start of the data matches
	for range maxOutput {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		seen = append(seen, c)
		if kept != nil {
			kept.WriteByte(c)
		}
		for i, mark := range marks {
			if bytes.HasSuffix(seen, []byte(mark)) {
				return i, nil
			}
		}
	}
	return 0, errTooMuchOutput
}

// process is a program after the dialogue: its streams contain only its own data.
type process struct {
	remote.Process
	stdout, stderr *bufio.Reader
}

func (p *process) Stdout() io.Reader { return p.stdout }
func (p *process) Stderr() io.Reader { return p.stderr }
