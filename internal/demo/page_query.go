package demo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// PageQuery reads a page that is not managed here.
type PageQuery struct {
	// Name is the page's name.
	Name string
	// Excerpt is the maximum length of the text in bytes.
	Excerpt int64
	// Shelf is the place of the page; a page in another place is an error.
	Shelf *string
}

// PageResult is the page that was read.
type PageResult struct {
	// Shelf is the place of the page.
	Shelf string `tf:",computed"`
	// Title is the headline.
	Title string
	// Text is the beginning of the page's text.
	Text string
	// Sections are the parts of the page, in order.
	Sections []Section
	// Module is the name of the calling module, from its provider_meta block.
	Module *string
}

// Defaults makes excerpt optional.
func (q *PageQuery) Defaults() { q.Excerpt = 100 }

// Constraints returns the limits of excerpt.
func (*PageQuery) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("excerpt", 0, 1000)}
}

// Read reads the page. It warns if it shortens the text.
func (q *PageQuery) Read(ctx context.Context, n *Notebook) (*PageResult, error) {
	var s stored
	if err := n.get(pages, q.Name, &s); err != nil {
		return nil, err
	}
	if q.Shelf != nil && *q.Shelf != s.Shelf {
		return nil, fmt.Errorf("the page %q is on the shelf %s, not on %s: %w", q.Name, s.Shelf, *q.Shelf, runtime.ErrNotFound)
	}
	if len(s.Text) > int(q.Excerpt) {
		runtime.Warn(ctx, "excerpt", "The text is longer", "The result has only a part of the text. Increase excerpt to read more.")
		s.Text = strings.ToValidUTF8(s.Text[:q.Excerpt], "") // without a part of a character
	}
	out := &PageResult{Shelf: s.Shelf, Title: s.Title, Text: s.Text, Sections: s.Sections}
	if meta, ok := runtime.Meta[Meta](ctx); ok {
		out.Module = &meta.Module
	}
	return out, nil
}

// Meta is the provider_meta block of a module.
type Meta struct {
	// Module is the module's name.
	Module string
}

// PageSearch lists existing pages.
type PageSearch struct {
	// Prefix is the prefix of the names.
	Prefix *string
}

// List yields the pages whose names have the prefix, sorted by name. Only the names are set.
func (s *PageSearch) List(_ context.Context, n *Notebook, _ runtime.ListRequest) iter.Seq2[runtime.Listed[*PageOutput], error] {
	return func(yield func(runtime.Listed[*PageOutput], error) bool) {
		names, err := n.names(pages)
		if err != nil {
			yield(runtime.Listed[*PageOutput]{}, err)
			return
		}
		for _, name := range names {
			if s.Prefix != nil && !strings.HasPrefix(name, *s.Prefix) {
				continue
			}
			if !yield(runtime.Listed[*PageOutput]{
				DisplayName: "Page " + name, Object: &PageOutput{PageContent: PageContent{Name: name}},
			}, nil) {
				return
			}
		}
	}
}

// Stamp prints a stamp on a page.
type Stamp struct {
	// Page is the name of the page.
	Page string
	// Text is the text of the stamp.
	Text string
	// Times is the number of prints.
	Times int64
}

// Defaults makes times optional.
func (s *Stamp) Defaults() { s.Times = 1 }

// Constraints returns the limits of times and text.
func (*Stamp) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("times", 1, 10), runtime.Length("text", 1, 20)}
}

// PlanAction returns an error if the stamp voids a page and the owner is nobody, the default.
func (s *Stamp) PlanAction(_ context.Context, n *Notebook) error {
	if strings.EqualFold(s.Text, "void") && n.owner == "nobody" {
		return errors.New("only an owner may void a page: set owner in the provider block")
	}
	return nil
}

// Invoke prints the stamp and reports each print.
func (s *Stamp) Invoke(ctx context.Context, n *Notebook, report func(message string)) error {
	var p stored
	if err := n.get(pages, s.Page, &p); err != nil {
		return err
	}
	for range s.Times {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.Text += "[" + s.Text + "]"
		report("stamped " + s.Page)
	}
	return n.put(pages, s.Page, p)
}
