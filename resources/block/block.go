package block

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// key returns the key of the block, which differs from that of its file.
func (b *Block) key() address.Path { return lifecycle.NameKey("file_block", string(b.Path)+"#"+b.Name) }

// wanted returns the configured block.
func (b *Block) wanted() block {
	s := style{start: b.Comment}
	if b.CommentEnd != nil {
		s.end = *b.CommentEnd
	}
	return block{name: b.Name, style: s, lines: b.Content.lines()}
}

// Place implements [lifecycle.Object].
func (b *Block) Place() (*string, lifecycle.Key) { return b.Host, b.key() }

// Preflight implements [lifecycle.Preflighter].
func (b *Block) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	info, err := scope.CachedLstat(ctx, b.Path)
	switch {
	case err != nil:
		return lifecycle.ConnectionError(err)
	case info.Type != host.TypeRegular:
		return hostpath.WrongType(h, b.Path, host.TypeRegular, info.Type)
	}
	_, text, err := textedit.Read(ctx, h, b.Path)
	if err != nil || text == nil {
		return err
	}
	_, err = b.insert(h, text)
	if errors.Is(err, errNoMatch) {
		return nil // another resource may add the line for position before the apply
	}
	return err
}

// insert returns the text with the block. An existing block must be as configured.
func (b *Block) insert(h host.Host, text []byte) ([]byte, error) {
	existing, err := find(text, b.Name)
	switch {
	case err != nil:
		return nil, b.errorIn(h, err)
	case existing != nil && existing.as(b.wanted()):
		return text, nil
	case existing != nil:
		return nil, lifecycle.ConflictErrorf("name", "%s on host %s already has a block %s whose content or comments differ from the configuration. "+
			"To manage it, import it (id %q); a plan then shows what would change. Or choose another name", b.Path, h.Name(), b.Name, b.id(h))
	}
	edited, err := insert(text, b.Position.place, b.wanted())
	switch {
	case errors.Is(err, errNoMatch):
		return nil, diag.AttributeErrorf("position", "%s on host %s: %w", b.Path, h.Name(), err)
	case err != nil:
		return nil, b.errorIn(h, err)
	}
	return edited, nil
}

func (b *Block) id(h host.Host) string { return h.Name() + ":" + string(b.Path) + "#" + b.Name }

// errorIn returns err with the path and the host of the file.
func (b *Block) errorIn(h host.Host, err error) error {
	return fmt.Errorf("%s on host %s: %w", b.Path, h.Name(), err)
}

// Create implements [runtime.TypedResource].
func (b *Block) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	if err := b.add(ctx, scope); err != nil {
		return nil, err
	}
	return b.output(h), nil
}

var errMissing = errors.New("the file does not exist")

// add inserts the block into the file. It creates a missing file if create_mode is set. If
// another process creates the file at the same time, the block is inserted into that file.
func (b *Block) add(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	var edit host.Edit
	if b.Position.place == (place{}) {
		edit = b.wanted().atEnd()
	}
	for {
		_, err := textedit.Part(ctx, scope, b.Path, edit, func(was []byte) ([]byte, error) {
			if was == nil {
				return nil, errMissing
			}
			return b.insert(h, was)
		})
		switch {
		case !errors.Is(err, errMissing):
			return err
		case b.CreateMode == nil:
			return diag.AttributeErrorf("path", "%s does not exist on host %s: set create_mode, or create the file first, for example by installing its package", b.Path, h.Name())
		}
		text, err := b.insert(h, nil)
		if err != nil {
			return err
		}
		_, err = h.WriteFile(ctx, string(b.Path), bytes.NewReader(text), host.WriteOptions{Attributes: host.Attributes{Mode: b.CreateMode}, Exclusive: true})
		if !errors.Is(err, fs.ErrExist) {
			err = hostpath.NoDirectory(ctx, h, b.Path, err, "create it first, for example with posix_directory")
			return hostpath.Explain(h, b.Path, host.TypeRegular, err)
		}
	}
}

// Read implements [runtime.TypedResource].
func (b *Block) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	_, text, err := textedit.Read(ctx, h, b.Path)
	if err != nil {
		return nil, err
	}
	existing, err := find(text, b.Name)
	if err != nil {
		return nil, b.errorIn(h, err)
	}
	if existing == nil {
		return nil, fmt.Errorf("%w: %s on host %s has no block %s", runtime.ErrNotFound, b.Path, h.Name(), b.Name)
	}
	out := b.output(h)
	out.Content = Content(existing.lines)
	out.Comment, out.CommentEnd = both(existing.style.start, existing.closing.start), new(both(existing.style.end, existing.closing.end))
	return out, nil
}

// asIn reports whether the block equals the one in out, including the comments of both markers.
func (f *foundBlock) asIn(out *Output) bool {
	return Content(f.lines).SemanticEquals(out.Content) && both(f.style.start, f.closing.start) == out.Comment &&
		out.CommentEnd != nil && both(f.style.end, f.closing.end) == *out.CommentEnd
}

// edit returns the edit that replaces the block in this output with a text, in a file whose other
// content is unknown. The result is the zero Edit if the block cannot be found by its bytes, for example
// because its two markers differ.
func (o *Output) edit(text []byte) host.Edit {
	if o.CommentEnd == nil {
		return host.Edit{}
	}
	old := block{name: o.Name, style: style{o.Comment, *o.CommentEnd}, lines: o.Content.lines()}
	edit := host.Edit{Old: old.render("\n"), New: text, Mark: old.mark()}
	if found, err := find(edit.Old, o.Name); err != nil || found == nil || !found.as(old) {
		return host.Edit{}
	}
	return edit
}

// both returns the common value of the two markers, or a text that is not a valid
// configuration if they differ.
func both(begin, end string) string {
	if begin == end {
		return begin
	}
	return begin + " and " + end
}

// Update implements [runtime.TypedResource].
func (b *Block) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Block, *Output]) (*Output, error) {
	h, wanted := scope.Host, b.wanted()
	if b.FollowsLinks() && !prior.Inputs.FollowsLinks() && (&foundBlock{block: wanted, closing: wanted.style}).asIn(prior.Observed) {
		return b.output(h), nil // the refresh did not follow the links: the next plan shows the block
	}
	edit := prior.Observed.edit(wanted.render("\n"))
	_, err := textedit.Part(ctx, scope, b.Path, edit, func(was []byte) ([]byte, error) {
		existing, err := find(was, b.Name)
		switch {
		case err != nil:
			return nil, b.errorIn(h, err)
		case existing == nil:
			return nil, fmt.Errorf("the block %s of %s on host %s was removed after the plan was made. Plan and apply again to create it", b.Name, b.Path, h.Name())
		case !existing.as(wanted) && !existing.asIn(prior.Observed):
			return nil, lifecycle.PartChangedAfterPlan("name", h, fmt.Sprintf("the block %s of %s", b.Name, b.Path))
		}
		return existing.replace(was, wanted), nil
	})
	if err != nil {
		return nil, err
	}
	return b.output(h), nil
}

// Delete implements [runtime.TypedResource].
func (b *Block) Delete(ctx context.Context, scope *lifecycle.Scope, out *Output) error {
	h := scope.Host
	_, err := textedit.Part(ctx, scope, b.Path, out.edit(nil), func(was []byte) ([]byte, error) {
		existing, err := find(was, b.Name)
		switch {
		case err != nil:
			return nil, b.errorIn(h, err)
		case existing == nil:
			return was, nil
		}
		return existing.remove(was), nil
	})
	return err
}

func (b *Block) output(h host.Host) *Output {
	return &Output{Host: new(h.Name()), Path: b.Path, Name: b.Name, Content: b.Content, Comment: b.Comment, CommentEnd: b.CommentEnd}
}
