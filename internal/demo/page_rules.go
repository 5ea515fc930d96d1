package demo

import (
	"cmp"
	"context"
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

// Defaults are what a page is without being told.
func (p *Page) Defaults() { p.Title, p.Mode = "Untitled", 0o644 }

// Constraints are known from configuration alone.
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

// ValidateInputs checks what no declared rule can say.
func (p *Page) ValidateInputs(ctx context.Context, n *Notebook) error {
	if strings.Contains(p.Text, "forbidden") {
		return diag.AttributeErrorf("text", "this word is not allowed in the notebook of %s", n.owner)
	}
	if p.Title == "Untitled" && len(p.Sections) > 0 {
		runtime.Warn(ctx, "title", "No title", "A page with sections is easier to find with a title.")
	}
	return nil
}

// EquivalentInput says that the case of a title does not matter.
func (*Page) EquivalentInput(_ context.Context, field string, prior, current Page) bool {
	return field == "title" && strings.EqualFold(prior.Title, current.Title)
}

// ReplaceOn says that a page that nobody may write is not written over: another
// text needs a new one.
func (*Page) ReplaceOn(field string, prior, _ Page) bool {
	return field == "text" && prior.Mode&0o222 == 0
}

// ModifyResourcePlan says what an update changes; the rest stays known.
func (*Page) ModifyResourcePlan(req runtime.ResourcePlanRequest[Page, *PageOutput, *Notebook], resp *runtime.ResourcePlanResponse) error {
	prior, current := req.PriorInputs, req.CurrentInputs
	// A page that was imported may hold a text that was hidden, which no input tells.
	if runtime.Changed(prior.TextWOVersion, current.TextWOVersion) || req.PriorOutputs.Digest != current.digest() {
		resp.MarkOutputUnknown("digest")
	}
	if len(prior.Sections) != len(current.Sections) {
		resp.Warn("sections", "Sections change", "Links to sections may not lead anywhere any more.")
	}
	return nil
}

// PlanOutputs tells the digest, which is known with the text.
func (p *Page) PlanOutputs(_ context.Context, n *Notebook, plan *runtime.OutputPlan) error {
	plan.Set("digest", p.digest())
	plan.Set("owner", n.owner)
	return nil
}

// digest is that of the text which the page will have.
func (p *Page) digest() string { return digest(cmp.Or(p.TextWO, p.Text)) }

// Locks names the notebook's index, which pages share.
func (*Page) Locks(n *Notebook) []string { return []string{"index of " + n.dir} }

// OperationTimeouts are the defaults of timeouts.
func (*Page) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Create: time.Minute, Update: time.Minute, Delete: time.Minute}
}

// PageID tells one page from another.
type PageID struct {
	// Name is the page's name.
	Name string
	// Folder is the notebook; the provider's own unless given.
	Folder *string
}

// Identity of a page.
func (*Page) Identity(n *Notebook, out *PageOutput) PageID {
	return PageID{Name: out.Name, Folder: &n.dir}
}

// ParseImportID takes the name of a page.
func (*Page) ParseImportID(id string) (PageID, error) {
	if strings.Contains(id, "/") {
		return PageID{}, errors.New("a page is imported by its name, without a folder")
	}
	return PageID{Name: id}, nil
}

// Import finds a page in the provider's own notebook.
func (*Page) Import(_ context.Context, n *Notebook, id PageID) (*PageOutput, error) {
	if id.Folder != nil && *id.Folder != n.dir {
		return nil, fmt.Errorf("the page is in the notebook %s, and the provider is configured for %s", *id.Folder, n.dir)
	}
	return &PageOutput{PageContent: PageContent{Name: id.Name}}, nil
}

// Migrations know that version 0 called the text body, and version 1 had the mode in
// decimal digits.
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

// Moves takes over sheets, which become pages.
func (*Page) Moves() []runtime.Move {
	type sheet struct{ Name, Text string }
	return []runtime.Move{
		runtime.MoveFrom("", "demo_sheet", func(_ context.Context, s sheet) (Page, *PageOutput, error) {
			content := PageContent{Name: s.Name, Text: s.Text, Title: "Untitled", Mode: 0o644}
			return Page{PageContent: content}, &PageOutput{PageContent: content}, nil
		}),
	}
}

// typed is a dynamic value with its type, as a file keeps it.
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
