package demo

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// PageQuery reads a page that is not managed here.
type PageQuery struct {
	// Name is the page's name.
	Name string
	// Excerpt is how many characters of the text are wanted.
	Excerpt int64
	// Shelf is where the page is to be; any shelf unless given.
	Shelf *string
}

// PageResult is what is known of the page.
type PageResult struct {
	// Shelf is where the page is kept.
	Shelf string `tf:",computed"`
	// Title is the headline.
	Title string
	// Text is the beginning of what the page says.
	Text string
	// Sections are the parts of the page, in order.
	Sections []Section
	// Module is the name of the module that asked, from its provider_meta block.
	Module *string
}

// Defaults makes excerpt optional.
func (q *PageQuery) Defaults() { q.Excerpt = 100 }

// Constraints of a query.
func (*PageQuery) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("excerpt", 0, 1000)}
}

// Read finds the page.
func (q *PageQuery) Read(ctx context.Context, n *Notebook) (*PageResult, error) {
	var s stored
	if err := n.get(pages, q.Name, &s); err != nil {
		return nil, err
	}
	if q.Shelf != nil && *q.Shelf != s.Shelf {
		return nil, fmt.Errorf("the page %q is on the shelf %s: %w", q.Name, s.Shelf, runtime.ErrNotFound)
	}
	if len(s.Text) > int(q.Excerpt) {
		runtime.Warn(ctx, "excerpt", "The text is longer", "Not all of the text is read; a greater excerpt reads more.")
		s.Text = s.Text[:q.Excerpt]
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
