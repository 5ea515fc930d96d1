package demo

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// PageSearch finds pages that exist.
type PageSearch struct {
	// Prefix is how the names of the pages begin.
	Prefix *string
}

// List yields the pages in the order of their names.
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
	// Text is what the stamp says.
	Text string
	// Times is how often it is printed.
	Times int64
}

// Defaults makes times optional.
func (s *Stamp) Defaults() { s.Times = 1 }

// Constraints of a stamp.
func (*Stamp) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("times", 1, 10), runtime.Length("text", 1, 20)}
}

// PlanAction looks whether there is ink.
func (s *Stamp) PlanAction(_ context.Context, n *Notebook) error {
	if strings.EqualFold(s.Text, "void") && n.owner == "nobody" {
		return errors.New("only an owner may void a page: set owner in the provider block")
	}
	return nil
}

// Invoke prints the stamp and says so each time.
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
