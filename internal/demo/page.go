package demo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Page is a page of the notebook, with an attribute of every kind.
type Page struct {
	PageContent
	// TextWO is text that is never stored in the state.
	TextWO string `tf:"text_wo,optional,writeonly"`
	// TextWOVersion is changed to write text_wo again.
	TextWOVersion *int64 `tf:"text_wo_version"`
	// Timeouts limit the duration of operations.
	Timeouts *runtime.Timeouts
}

// PageOutput is an existing page.
type PageOutput struct {
	// Shelf is the place of the page; the provider chooses one.
	Shelf string `tf:",computed"`
	PageContent
	// Digest is the SHA-256 of the text in hexadecimal.
	Digest string
	// Owner is the owner of the notebook when the page was written.
	Owner string
	// ReadAt is the time of the last read or write, in seconds since 1970.
	ReadAt int64 `tf:",volatile"`
}

// PageContent has the attributes that inputs and outputs share.
type PageContent struct {
	// Name is the unique name of the page.
	Name string
	// Title is the headline.
	Title string
	// Text is the text of the page.
	Text string `tf:",optional"`
	// Mode is the mode of the page in octal digits.
	Mode Octal
	// Meta is a JSON document stored with the page.
	Meta *runtime.JSON
	// Language is a language tag such as en-GB.
	Language *Language
	// Until is the time until which the page is of interest.
	Until runtime.Value[int64]
	// Tags are words for searching, in no particular order.
	Tags []string `tf:",optional,set"`
	// Labels are values by name.
	Labels map[string]string `tf:",optional"`
	// Extra is any other value.
	Extra cty.Value `tf:",optional"`
	// Sections are the parts of the page, in order.
	Sections []Section `tf:",optional"`
	// Author is the author of the page.
	Author *Author `tf:",block"`
	// Links are references to other pages.
	Links []Link `tf:"link,block,set"`
}

// Section is a part of a page. Notes, lines and words are nested in it.
type Section struct {
	// Heading is the heading of the section.
	Heading string
	// Anchor is the target of links to the section; the provider chooses one if it is unset.
	Anchor string `tf:",computed"`
	// Level is the level of the heading.
	Level int64
	// Notes are remarks by name.
	Notes map[string]Remark `tf:",optional"`
}

// Defaults makes level optional.
func (s *Section) Defaults() { s.Level = 2 }

// Constraints returns the limits of level and heading.
func (*Section) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("level", 1, 6), runtime.Length("heading", 1, 80)}
}

// Remark is a note in a section.
type Remark struct {
	// Lines are the lines of the remark.
	Lines []Line
}

// Line is a line of a remark.
type Line struct {
	// Words are the words of the line.
	Words []Styled
}

// Styled is a word with its style.
type Styled struct {
	// Word is the word.
	Word string
	// Style is the style of the word.
	Style *string
}

// Author is the author of a page.
type Author struct {
	// Name is the author's name.
	Name string
	// Token authenticates the author; it is never stored.
	Token string `tf:",optional,writeonly"`
}

// Link is a reference to another page.
type Link struct {
	// Page is the name of the other page.
	Page string
	// Rank is the sort key of links.
	Rank int64
}

// Defaults makes rank optional.
func (l *Link) Defaults() { l.Rank = 1 }

// Language is a case-insensitive language tag.
type Language string

// SemanticEquals reports whether l and other are equal except for case.
func (l Language) SemanticEquals(other Language) bool {
	return strings.EqualFold(string(l), string(other))
}

// Octal is a number in octal digits; 0644 and 644 are equal.
type Octal uint32

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Octal) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%o", (*uint32)(o)); err != nil || *o > 0o7777 {
		return errors.New("the mode must be up to four octal digits, such as 0644")
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (o Octal) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(o)), nil }

const pages = "page"

// SchemaVersion returns the version to which Migrations upgrades states.
func (*Page) SchemaVersion() int { return 2 }

// ReplaceFields returns name, which identifies a page.
func (*Page) ReplaceFields() []string { return []string{"name"} }

// stored is the JSON of a page in its file. Dynamic values are encoded separately.
type stored struct {
	PageContent
	Extra        string
	Until        *int64
	Shelf, Owner string
	Hidden       bool // the text is from text_wo
}

// Create stores the page. A page that exists already is an error.
func (p *Page) Create(ctx context.Context, n *Notebook) (*PageOutput, error) {
	switch err := n.get(pages, p.Name, &stored{}); {
	case err == nil:
		return nil, fmt.Errorf("the page %q exists already. Import it", p.Name)
	case !errors.Is(err, runtime.ErrNotFound):
		return nil, err
	}
	return p.write(ctx, n, "main")
}

// Update overwrites the page.
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
		content.Author = &Author{Name: content.Author.Name} // the token is never stored
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

// Read returns the stored page with the name of prior. The text of text_wo is left out.
func (*Page) Read(_ context.Context, n *Notebook, prior *PageOutput) (*PageOutput, error) {
	var s stored
	if err := n.get(pages, prior.Name, &s); err != nil {
		return nil, err
	}
	return s.output()
}

// output returns the page as the provider's output.
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

// Delete removes the page. A missing page is not an error.
func (*Page) Delete(_ context.Context, n *Notebook, prior *PageOutput) error {
	return n.remove(pages, prior.Name)
}

// Defaults sets the defaults of title and mode.
func (p *Page) Defaults() { p.Title, p.Mode = "Untitled", 0o644 }

// DefaultsWith makes the page private by default if text_wo is set.
func (p *Page) DefaultsWith(attribute string) {
	if attribute == "text_wo" {
		p.Mode = 0o600
	}
}

// Constraints returns the rules that depend only on the configuration.
func (*Page) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Pattern("name", "^[a-z0-9_-]+$", "lower-case letters, digits, - and _"),
		runtime.Length("title", 1, 80),
		runtime.AtMostOneOf("text", "text_wo"),
		runtime.RequiredTogether("text_wo", "text_wo_version"),
		runtime.AtLeast("until", 0),
		runtime.Each(runtime.Length("tags", 1, 20)),
		runtime.Keys(runtime.Pattern("labels", "^[a-z]+$", "lower-case letters")),
		runtime.Length("link", 0, 8),
	}
}

// ValidateInputs checks rules that no constraint expresses.
func (p *Page) ValidateInputs(ctx context.Context, n *Notebook) error {
	if strings.Contains(p.Text, "forbidden") {
		return diag.AttributeErrorf("text", "the word \"forbidden\" is not allowed in the notebook of %s", n.owner)
	}
	if p.Title == "Untitled" && len(p.Sections) > 0 {
		runtime.Warn(ctx, "title", "No title", "A page with sections is easier to find with a title.")
	}
	return nil
}

// EquivalentInput reports whether titles are equal except for case.
func (*Page) EquivalentInput(field string, prior, current Page) bool {
	return field == "title" && strings.EqualFold(prior.Title, current.Title)
}

// ReplaceOn returns true for a changed text of a read-only page, which is then replaced and not
// overwritten.
func (*Page) ReplaceOn(field string, prior, _ Page) bool {
	return field == "text" && prior.Mode&0o222 == 0
}

// ModifyResourcePlan decides which outputs an update changes; the others stay known. It warns if the
// number of sections changes.
func (*Page) ModifyResourcePlan(req runtime.ResourcePlanRequest[Page, *PageOutput, *Notebook], resp *runtime.ResourcePlanResponse) error {
	prior, current := req.PriorInputs, req.CurrentInputs
	// An imported page may have text from text_wo, which no input shows.
	if runtime.Changed(prior.TextWOVersion, current.TextWOVersion) || req.PriorOutputs.Digest != current.digest() {
		resp.MarkOutputUnknown("digest")
	}
	if len(prior.Sections) != len(current.Sections) {
		resp.Warn("sections", "Sections change", "Links to sections may break.")
	}
	return nil
}

// PlanOutputs plans the owner, and the digest, which is known if the text is known.
func (p *Page) PlanOutputs(_ context.Context, n *Notebook, plan *runtime.OutputPlan) error {
	plan.Set("digest", p.digest())
	plan.Set("owner", n.owner)
	return nil
}

// digest returns the digest of the planned text.
func (p *Page) digest() string { return digest(cmp.Or(p.TextWO, p.Text)) }

// Locks returns the lock of the notebook's index, which all pages share.
func (*Page) Locks(n *Notebook) []string { return []string{"index of " + n.dir} }

// OperationTimeouts returns the default timeouts: one minute each for create, update and delete.
func (*Page) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Create: time.Minute, Update: time.Minute, Delete: time.Minute}
}

// PageID is the identity of a page.
type PageID struct {
	// Name is the name of the page.
	Name string
	// Directory is the notebook, by default the provider's.
	Directory *string
}

// Identity returns the identity of a page: its name and the directory of the notebook.
func (*Page) Identity(n *Notebook, out *PageOutput) PageID {
	return PageID{Name: out.Name, Directory: &n.dir}
}

// ParseImportID parses the name of a page. A name with a slash is an error.
func (*Page) ParseImportID(id string) (PageID, error) {
	if strings.Contains(id, "/") {
		return PageID{}, errors.New("the import ID must be the name of the page, without a directory")
	}
	return PageID{Name: id}, nil
}

// Import imports a page of the provider's notebook. A page of another notebook is an error.
func (*Page) Import(_ context.Context, n *Notebook, id PageID) (*PageOutput, error) {
	if id.Directory != nil && *id.Directory != n.dir {
		return nil, fmt.Errorf("the page is in the notebook %s, and the provider is configured for %s", *id.Directory, n.dir)
	}
	return &PageOutput{PageContent: PageContent{Name: id.Name}}, nil
}

// Migrations returns the migrations from version 0, in which the attribute text was named body, and
// from version 1, in which the mode was a decimal number.
func (*Page) Migrations() []runtime.Migration {
	type body struct{ Body string }
	type text struct{ Text string }
	type decimal struct {
		Mode int64
	}
	type octal struct{ Mode string }
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, old body) (text, error) { return text{old.Body}, nil }),
		runtime.Migrate(1, func(_ context.Context, old decimal) (octal, error) {
			return octal{fmt.Sprintf("%04o", old.Mode)}, nil
		}),
	}
}

// Moves returns the move from demo_sheet, the former type of pages.
func (*Page) Moves() []runtime.Move {
	type sheet struct{ Name, Text string }
	return []runtime.Move{
		runtime.MoveFrom("", "demo_sheet", func(_ context.Context, s sheet) (Page, *PageOutput, error) {
			content := PageContent{Name: s.Name, Text: s.Text, Title: "Untitled", Mode: 0o644}
			return Page{PageContent: content}, &PageOutput{PageContent: content}, nil
		}),
	}
}

// typed is the JSON of a dynamic value and its type.
type typed struct {
	Type, Value json.RawMessage
}

func marshalExtra(v cty.Value) (string, error) {
	if v == cty.NilVal || v.IsNull() {
		return "", nil
	}
	ty, err := ctyjson.MarshalType(v.Type())
	if err != nil {
		return "", err
	}
	value, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(typed{ty, value})
	return string(raw), err
}

func unmarshalExtra(text string) (cty.Value, error) {
	if text == "" {
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	var t typed
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return cty.NilVal, err
	}
	ty, err := ctyjson.UnmarshalType(t.Type)
	if err != nil {
		return cty.NilVal, err
	}
	return ctyjson.Unmarshal(t.Value, ty)
}

// Sheet is the former type of pages. It has no identity and exists to test moves.
type Sheet struct {
	// Name is the sheet's name.
	Name string
	// Text is the text of the sheet.
	Text string
}

// SheetOutput is an existing sheet.
type SheetOutput struct {
	// Name is the sheet's name.
	Name string
	// Text is the text of the sheet.
	Text string
}

// ReplaceFields returns name, which identifies a sheet.
func (*Sheet) ReplaceFields() []string { return []string{"name"} }

// EquivalentInputContext reports whether texts are equal except for newlines at the end.
func (*Sheet) EquivalentInputContext(_ context.Context, field string, prior, current Sheet) bool {
	return field == "text" && strings.TrimRight(prior.Text, "\n") == strings.TrimRight(current.Text, "\n")
}

// Create stores the sheet as a page. It replaces a page with the same name.
func (s *Sheet) Create(ctx context.Context, n *Notebook) (*SheetOutput, error) {
	p := Page{PageContent: PageContent{Name: s.Name, Text: s.Text, Title: "Untitled", Mode: 0o644}}
	if _, err := p.write(ctx, n, "main"); err != nil {
		return nil, err
	}
	return &SheetOutput{s.Name, s.Text}, nil
}

// Read returns the stored sheet with the name of prior.
func (*Sheet) Read(_ context.Context, n *Notebook, prior *SheetOutput) (*SheetOutput, error) {
	var p stored
	err := n.get(pages, prior.Name, &p)
	return &SheetOutput{prior.Name, p.Text}, err
}

// Update overwrites the sheet.
func (s *Sheet) Update(ctx context.Context, n *Notebook, _ runtime.Prior[Sheet, *SheetOutput]) (*SheetOutput, error) {
	return s.Create(ctx, n)
}

// Delete removes the sheet. A missing sheet is not an error.
func (*Sheet) Delete(_ context.Context, n *Notebook, prior *SheetOutput) error {
	return n.remove(pages, prior.Name)
}

// ImportByID imports a sheet by name.
func (*Sheet) ImportByID(_ context.Context, _ *Notebook, id string) (*SheetOutput, error) {
	return &SheetOutput{Name: id}, nil
}
