package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Site nests many kinds of attributes, five levels deep: some that the provider or a default
// determines, and some with equivalent values.
type Site struct {
	Name string
	SiteParts
	Note *string

	world *siteWorld
}

type SiteOutput struct {
	Name string
	SiteParts
	Revision int64
}

// SiteParts are fields of both the inputs and the outputs.
type SiteParts struct {
	Main    *Part           `tf:",optional"`
	Parts   []Part          `tf:",optional"`
	Named   map[string]Part `tf:",optional"`
	Bag     []Piece         `tf:",optional,set"`
	Listen  []Piece         `tf:",block"`
	Pool    []Piece         `tf:",block,set"`
	Limits  *Piece          `tf:",block"`
	Doc     *runtime.JSON   `tf:",optional"`
	Nets    []netip.Prefix  `tf:",optional"`
	Cases   []Word          `tf:",optional,set"`
	Aliases map[string]Word `tf:",optional"`
	Extra   cty.Value       `tf:",optional"`
	Free    runtime.Value[int64]
}

// Part nests deeper: Site, Part, Inner, Leaf, Twig, Piece.
type Part struct {
	Key   string
	Mode  Octal  `tf:",optional"`
	ID    string `tf:",computed"`
	Level int64
	Zone  *string `tf:",optional,computed"`
	Inner *Inner
}

func (p *Part) Defaults() { p.Level = 3 }

type Inner struct {
	Leaves []Leaf `tf:",optional"`
}

type Leaf struct {
	Twigs map[string]Twig `tf:",optional"`
}

type Twig struct {
	Buds []Piece `tf:",optional,set"`
}

// Piece is small and has required, optional, default and computed fields.
type Piece struct {
	Port   int64
	Proto  string
	Serial int64  `tf:",computed"`
	Words  []Word `tf:",optional"`
	Dark   *bool
}

func (p *Piece) Defaults() { p.Proto = "tcp" }

// Word is equivalent in upper and lower case.
type Word string

func (w Word) SemanticEquals(other Word) bool { return strings.EqualFold(string(w), string(other)) }

// Octal is equivalent with and without leading zeros.
type Octal int

func (o *Octal) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%o", (*int)(o))
	return err
}

func (o Octal) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%o", int(o)), nil }

type siteWorld struct {
	sites   map[string]SiteOutput
	serials int64
	updates int
}

// complete returns the outputs for a Site: it sets the values that the provider chooses, and
// replaces texts with equivalent ones.
func (w *siteWorld) complete(s *Site) *SiteOutput {
	out := &SiteOutput{Name: s.Name, SiteParts: s.SiteParts}
	out.Main = w.part(s.Main)
	out.Parts = w.parts(s.Parts)
	if s.Named != nil {
		out.Named = map[string]Part{}
		for k, p := range s.Named {
			out.Named[k] = *w.part(&p)
		}
	}
	out.Bag, out.Listen, out.Pool = w.pieces(s.Bag), w.pieces(s.Listen), w.pieces(s.Pool)
	if s.Limits != nil {
		out.Limits = &w.pieces([]Piece{*s.Limits})[0]
	}
	if s.Doc != nil {
		var doc runtime.JSON
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(*s.Doc), "", " "); err == nil {
			doc = runtime.JSON(indented.String())
		}
		out.Doc = &doc
	}
	out.Cases = lower(s.Cases)
	if s.Aliases != nil {
		out.Aliases = map[string]Word{}
		for k, v := range s.Aliases {
			out.Aliases[k] = Word(strings.ToLower(string(v)))
		}
	}
	out.Revision = w.serials
	return out
}

func lower(words []Word) []Word {
	words = slices.Clone(words)
	for i := range words {
		words[i] = Word(strings.ToLower(string(words[i])))
	}
	return words
}

func (w *siteWorld) parts(in []Part) []Part {
	if in == nil {
		return nil
	}
	out := make([]Part, len(in))
	for i := range in {
		out[i] = *w.part(&in[i])
	}
	return out
}

func (w *siteWorld) part(in *Part) *Part {
	if in == nil {
		return nil
	}
	p := *in
	w.serials++
	if p.ID == "" {
		p.ID = fmt.Sprint("id", w.serials)
	}
	if p.Zone == nil {
		z := "zone"
		p.Zone = &z
	}
	if p.Inner == nil {
		return &p
	}
	inner := Inner{}
	for _, l := range p.Inner.Leaves {
		leaf := Leaf{}
		for k, t := range l.Twigs {
			if leaf.Twigs == nil {
				leaf.Twigs = map[string]Twig{}
			}
			leaf.Twigs[k] = Twig{w.pieces(t.Buds)}
		}
		if l.Twigs != nil && leaf.Twigs == nil {
			leaf.Twigs = map[string]Twig{}
		}
		inner.Leaves = append(inner.Leaves, leaf)
	}
	if p.Inner.Leaves != nil && inner.Leaves == nil {
		inner.Leaves = []Leaf{}
	}
	p.Inner = &inner
	return &p
}

func (w *siteWorld) pieces(in []Piece) []Piece {
	if in == nil {
		return nil
	}
	out := slices.Clone(in)
	for i := range out {
		if out[i].Serial == 0 {
			w.serials++
			out[i].Serial = w.serials
		}
		out[i].Words = lower(out[i].Words)
	}
	return out
}

func (*Site) SchemaVersion() int      { return 0 }
func (*Site) ReplaceFields() []string { return []string{"name"} }

func (s *Site) Create(_ context.Context, _ runtime.NoConfig) (*SiteOutput, error) {
	out := s.world.complete(s)
	s.world.sites[s.Name] = *out
	return out, nil
}

func (s *Site) Read(_ context.Context, _ runtime.NoConfig, prior *SiteOutput) (*SiteOutput, error) {
	out, ok := s.world.sites[prior.Name]
	if !ok {
		return nil, runtime.ErrNotFound
	}
	return &out, nil
}

func (s *Site) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Site, *SiteOutput]) (*SiteOutput, error) {
	s.world.updates++
	return s.Create(ctx, cfg)
}

func (s *Site) Delete(_ context.Context, _ runtime.NoConfig, prior *SiteOutput) error {
	delete(s.world.sites, prior.Name)
	return nil
}

func newSite(t *testing.T) (*siteWorld, *driver) {
	t.Helper()
	w := &siteWorld{sites: map[string]SiteOutput{}}
	reg := runtime.MakeResourceWith[Site, *SiteOutput, runtime.NoConfig](func() *Site { return &Site{world: w} })
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"site": reg}})
	return w, newDriver(t, p, "test_site")
}
