package note

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Note is the configuration of a note.
type Note struct {
	Path string
	Text string
}

// NoteOutput is the state of an existing note.
type NoteOutput struct {
	Path  string
	Text  string
	Lines int
}

// NoteID is the identity of a note.
type NoteID struct{ Path string }

func (*Note) ReplaceFields() []string { return []string{"path"} }

func (*Note) Identity(_ runtime.NoConfig, out *NoteOutput) NoteID { return NoteID{out.Path} }

func (n *Note) Create(ctx context.Context, cfg runtime.NoConfig) (*NoteOutput, error) {
	if err := os.WriteFile(n.Path, []byte(n.Text), 0o600); err != nil {
		return nil, err
	}
	return n.Read(ctx, cfg, &NoteOutput{Path: n.Path})
}

func (*Note) Read(_ context.Context, _ runtime.NoConfig, prior *NoteOutput) (*NoteOutput, error) {
	text, err := os.ReadFile(prior.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, runtime.ErrNotFound
	}
	return &NoteOutput{prior.Path, string(text), strings.Count(string(text), "\n")}, err
}

func (n *Note) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Note, *NoteOutput]) (*NoteOutput, error) {
	return n.Create(ctx, cfg)
}

func (*Note) Delete(_ context.Context, _ runtime.NoConfig, prior *NoteOutput) error {
	if err := os.Remove(prior.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
