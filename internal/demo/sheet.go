package demo

import (
	"context"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sheet is what pages were called once. It has no identity, and is here to be
// moved from.
type Sheet struct {
	// Name is the sheet's name.
	Name string
	// Text is what the sheet says.
	Text string
}

// SheetOutput is a sheet that exists.
type SheetOutput struct {
	// Name is the sheet's name.
	Name string
	// Text is what the sheet says.
	Text string
}

// SchemaVersion counts the changes of what is stored.
func (*Sheet) SchemaVersion() int { return 0 }

// ReplaceFields names name, by which a sheet is found.
func (*Sheet) ReplaceFields() []string { return []string{"name"} }

// Create writes the sheet where pages are.
func (s *Sheet) Create(ctx context.Context, n *Notebook) (*SheetOutput, error) {
	p := Page{PageContent: PageContent{Name: s.Name, Text: s.Text, Title: "Untitled", Mode: 0o644}}
	if _, err := p.write(ctx, n, "main"); err != nil {
		return nil, err
	}
	return &SheetOutput{s.Name, s.Text}, nil
}

// Read finds the sheet.
func (*Sheet) Read(_ context.Context, n *Notebook, prior *SheetOutput) (*SheetOutput, error) {
	var p stored
	err := n.get(pages, prior.Name, &p)
	return &SheetOutput{prior.Name, p.Text}, err
}

// Update writes the sheet over.
func (s *Sheet) Update(ctx context.Context, n *Notebook, _ runtime.Prior[Sheet, *SheetOutput]) (*SheetOutput, error) {
	return s.Create(ctx, n)
}

// Delete removes the sheet.
func (*Sheet) Delete(_ context.Context, n *Notebook, prior *SheetOutput) error {
	return n.remove(pages, prior.Name)
}

// ImportByID takes the sheet's name.
func (*Sheet) ImportByID(_ context.Context, _ *Notebook, id string) (*SheetOutput, error) {
	return &SheetOutput{Name: id}, nil
}
