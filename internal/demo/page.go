package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Page is a page of the notebook, with an attribute of every kind.
type Page struct {
	PageContent
	// TextWO is text that is written and never stored in state.
	TextWO string `tf:"text_wo,optional,writeonly"`
	// TextWOVersion is changed to have text_wo written again.
	TextWOVersion *int64 `tf:"text_wo_version"`
	// Timeouts bound how long operations may take.
	Timeouts *runtime.Timeouts
}

// PageOutput is a page that exists.
type PageOutput struct {
	// Shelf is where the page is kept; the provider chooses one.
	Shelf string `tf:",computed"`
	PageContent
	// Digest is the SHA-256 of the text, in hexadecimal.
	Digest string
	// Owner is who the notebook belonged to when the page was written.
	Owner string
	// ReadAt is when the page was read last, in seconds since 1970.
	ReadAt int64 `tf:",volatile"`
}

// PageContent is what both sides of a page have.
type PageContent struct {
	// Name is the page's name, with which it is found.
	Name string
	// Title is the headline.
	Title string
	// Text is what the page says.
	Text string `tf:",optional"`
	// Mode is who may read the page, in octal digits.
	Mode Octal
	// Meta is a JSON document that goes with the page.
	Meta *runtime.JSON
	// Language is the tag of the language, such as en-GB.
	Language *Language
	// Until is how long the page is of interest.
	Until runtime.Value[int64]
	// Tags are words by which the page is found, in no order.
	Tags []string `tf:",optional,set"`
	// Labels are values by name.
	Labels map[string]string `tf:",optional"`
	// Extra is whatever else is to be kept.
	Extra cty.Value `tf:",optional"`
	// Sections are the parts of the page, in order.
	Sections []Section `tf:",optional"`
	// Author is who wrote the page.
	Author *Author `tf:",block"`
	// Links are the pages that this one points to.
	Links []Link `tf:"link,block,set"`
}

// Section is a part of a page, which nests five levels deep.
type Section struct {
	// Heading is the section's headline.
	Heading string
	// Anchor is how the section is pointed to; the provider makes one.
	Anchor string `tf:",computed"`
	// Level is the size of the headline.
	Level int64
	// Notes are remarks by name.
	Notes map[string]Remark `tf:",optional"`
}

// Defaults makes level optional.
func (s *Section) Defaults() { s.Level = 2 }

// Constraints of a section.
func (*Section) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("level", 1, 6), runtime.Length("heading", 1, 80)}
}

// Remark is a note in a section.
type Remark struct {
	// Lines are what the remark says.
	Lines []Line
}

// Line is a line of a remark.
type Line struct {
	// Words are what the line says.
	Words []Styled
}

// Styled is a word with its style.
type Styled struct {
	// Word is the word.
	Word string
	// Style is how it is printed.
	Style *string
}

// Author is who wrote a page.
type Author struct {
	// Name is the author's name.
	Name string
	// Token proves that it is the author; it is never stored.
	Token string `tf:",optional,writeonly"`
}

// Link is a reference to another page.
type Link struct {
	// Page is the name of the other page.
	Page string
	// Rank sorts links.
	Rank int64
}

// Defaults makes rank optional.
func (l *Link) Defaults() { l.Rank = 1 }

// Language is the tag of a language, in which capitals mean nothing.
type Language string

// SemanticEquals reports whether both are the same language.
func (l Language) SemanticEquals(other Language) bool {
	return strings.EqualFold(string(l), string(other))
}

// Octal is a number that is written in octal digits; 0644 and 644 are the same.
type Octal uint32

// UnmarshalText is part of encoding.TextUnmarshaler.
func (o *Octal) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%o", (*uint32)(o)); err != nil || *o > 0o7777 {
		return errors.New("the mode must be up to four octal digits, such as 0644")
	}
	return nil
}

// MarshalText is part of encoding.TextMarshaler.
func (o Octal) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(o)), nil }

const pages = "page"

// SchemaVersion counts the changes of what is stored.
func (*Page) SchemaVersion() int { return 2 }

// ReplaceFields names name, by which a page is found.
func (*Page) ReplaceFields() []string { return []string{"name"} }

// stored is a page as its file has it. A dynamic value has no JSON of its own.
type stored struct {
	PageContent
	Extra        string
	Until        *int64
	Shelf, Owner string
	Hidden       bool // the text came from text_wo
}

// Create writes the page.
func (p *Page) Create(ctx context.Context, n *Notebook) (*PageOutput, error) {
	if err := n.get(pages, p.Name, &stored{}); !errors.Is(err, runtime.ErrNotFound) {
		return nil, errors.Join(fmt.Errorf("there is a page %q already; import it", p.Name), err)
	}
	return p.write(ctx, n, "main")
}

// Update writes the page over.
func (p *Page) Update(ctx context.Context, n *Notebook, prior runtime.Prior[Page, *PageOutput]) (*PageOutput, error) {
	return p.write(ctx, n, prior.Observed.Shelf)
}

func (p *Page) write(ctx context.Context, n *Notebook, shelf string) (*PageOutput, error) {
	content := p.PageContent
	for i := range content.Sections {
		if content.Sections[i].Anchor == "" {
			content.Sections[i].Anchor = "#" + strings.ToLower(content.Sections[i].Heading)
		}
	}
	if content.Author != nil {
		content.Author = &Author{Name: content.Author.Name} // the token is kept nowhere
	}
	s := stored{PageContent: content, Shelf: shelf, Owner: n.owner}
	if p.TextWO != "" {
		s.Text, s.Hidden = p.TextWO, true
	}
	extra, err := marshalExtra(content.Extra)
	if err != nil {
		return nil, err
	}
	s.Extra, s.PageContent.Extra = extra, cty.NilVal
	if until, ok := content.Until.Get(); ok {
		s.Until = &until
	}
	if err := n.put(pages, p.Name, s); err != nil {
		return nil, err
	}
	if signature, ok := runtime.Meta[Meta](ctx); ok {
		runtime.Private(ctx).Set("module", []byte(signature.Module))
	}
	return s.output()
}

// Read finds the page.
func (*Page) Read(_ context.Context, n *Notebook, prior *PageOutput) (*PageOutput, error) {
	var s stored
	if err := n.get(pages, prior.Name, &s); err != nil {
		return nil, err
	}
	return s.output()
}

// output is the page as the provider answers it.
func (s *stored) output() (*PageOutput, error) {
	content := s.PageContent
	sum := digest(content.Text)
	if s.Hidden {
		content.Text = ""
	}
	if s.Until != nil {
		content.Until = runtime.Known(*s.Until)
	}
	var err error
	content.Extra, err = unmarshalExtra(s.Extra)
	return &PageOutput{
		Shelf: s.Shelf, PageContent: content, Owner: s.Owner,
		Digest: sum, ReadAt: time.Now().Unix(),
	}, err
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Delete removes the page.
func (*Page) Delete(_ context.Context, n *Notebook, prior *PageOutput) error {
	return n.remove(pages, prior.Name)
}
