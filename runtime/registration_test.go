package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// crud is a resource that does nothing, for embedding.
type crud[In, Out any] struct{}

func (crud[In, Out]) SchemaVersion() int      { return 0 }
func (crud[In, Out]) ReplaceFields() []string { return nil }
func (crud[In, Out]) Create(context.Context, runtime.NoConfig) (*Out, error) {
	return new(Out), nil
}

func (crud[In, Out]) Read(context.Context, runtime.NoConfig, *Out) (*Out, error) {
	return new(Out), nil
}

func (crud[In, Out]) Update(context.Context, runtime.NoConfig, runtime.Prior[In, *Out]) (*Out, error) {
	return new(Out), nil
}
func (crud[In, Out]) Delete(context.Context, runtime.NoConfig, *Out) error { return nil }

type none struct{}

// Each resource below has one mistake.
type (
	badTag struct {
		crud[badTag, none] `tf:"-"`
		A                  string `tf:",optionl"`
	}
	badName struct {
		crud[badName, none] `tf:"-"`
		A                   string `tf:"Not-A-Name"`
	}
	sameName struct {
		crud[sameName, none] `tf:"-"`
		A                    string
		B                    string `tf:"a"`
	}
	reserved struct {
		crud[reserved, none] `tf:"-"`
		Count                int
	}
	badType struct {
		crud[badType, none] `tf:"-"`
		A                   chan int
	}
	badMap struct {
		crud[badMap, none] `tf:"-"`
		A                  map[int]string
	}
	rawBytes struct {
		crud[rawBytes, none] `tf:"-"`
		A                    []byte
	}
	endless struct {
		crud[endless, none] `tf:"-"`
		A                   *link
	}
	link struct {
		Next *link
	}
	setOfAny struct {
		crud[setOfAny, none] `tf:"-"`
		A                    []any `tf:",set"`
	}
	setOfString struct {
		crud[setOfString, none] `tf:"-"`
		A                       string `tf:",set"`
	}
	deepStructs struct {
		crud[deepStructs, none] `tf:"-"`
		A                       [][]none
	}
	differ struct {
		crud[differ, differOut] `tf:"-"`
		A                       string
	}
	differOut      struct{ A int }
	chosenRequired struct {
		crud[chosenRequired, chosenOut] `tf:"-"`
		A                               string
	}
	chosenOut struct {
		A string `tf:",computed"`
	}
	secretOut struct {
		crud[secretOut, secretOutOut] `tf:"-"`
		A                             string `tf:",optional,writeonly"`
	}
	secretOutOut struct{ A string }
	ghostReplace struct {
		crud[ghostReplace, none] `tf:"-"`
		A                        string
	}
	ghostConstraint struct {
		crud[ghostConstraint, none] `tf:"-"`
		A                           *string
	}
	nearDefaults struct {
		crud[nearDefaults, none] `tf:"-"`
		A                        string
	}
	nearValidate struct {
		crud[nearValidate, none] `tf:"-"`
		A                        string
	}
	nearEquivalent struct {
		crud[nearEquivalent, none] `tf:"-"`
		A                          string
	}
	nearModify struct {
		crud[nearModify, none] `tf:"-"`
		A                      string
	}
	nearIdentity struct {
		crud[nearIdentity, none] `tf:"-"`
		A                        string
	}
	lonelyImport struct {
		crud[lonelyImport, none] `tf:"-"`
		A                        string
	}
	gap struct {
		crud[gap, none] `tf:"-"`
		A               string
	}
	lostIdentity struct {
		crud[lostIdentity, none] `tf:"-"`
		A                        string
	}
	secretInside struct {
		crud[secretInside, none] `tf:"-"`
		A                        []secretPart `tf:",optional,set"`
	}
	nestedNear struct {
		crud[nestedNear, none] `tf:"-"`
		A                      []nearPart `tf:",optional"`
	}
	nearPart       struct{ B string }
	nestedNearRule struct {
		crud[nestedNearRule, none] `tf:"-"`
		A                          *nearRulePart
	}
	nearRulePart struct{ B string }
	ownerless    struct {
		crud[ownerless, none] `tf:"-"`
		A                     []chosenPart `tf:",optional"`
	}
	chosenPart struct {
		ID string `tf:",computed"`
	}
	misnamedText struct {
		crud[misnamedText, none] `tf:"-"`
		A                        misnamedWord
	}
	misnamedWord string
	halfText     struct {
		crud[halfText, none] `tf:"-"`
		A                    parsedWord
	}
	parsedWord string
	nearText   struct {
		crud[nearText, none] `tf:"-"`
		A                    nearWord
	}
	nearWord  string
	nearValue struct {
		crud[nearValue, none] `tf:"-"`
		A                     nearNumber
	}
	nearNumber int
	span       struct {
		crud[span, none] `tf:"-"`
		A                time.Duration
	}
	unruly struct {
		crud[unruly, unrulyOut] `tf:"-"`
		A                       []unrulyPart `tf:",optional"`
	}
	unrulyOut struct {
		A []unrulyPart `tf:",optional"`
	}
	unrulyPart struct {
		Any cty.Value
		ID  string `tf:",computed"`
	}
	secretPart struct {
		B *string `tf:",writeonly"`
	}
	valueBlock struct {
		crud[valueBlock, none] `tf:"-"`
		A                      runtime.Value[[]none] `tf:",block"`
	}
	pointerBlock struct {
		crud[pointerBlock, none] `tf:"-"`
		A                        *[]none `tf:",block"`
	}
	blockConstraint struct {
		crud[blockConstraint, none] `tf:"-"`
		A                           []none `tf:",block"`
		B                           *string
	}
)

func (*blockConstraint) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtMostOneOf("a", "b")}
}

func (*ghostReplace) ReplaceFields() []string { return []string{"b"} }
func (*ghostConstraint) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.ExactlyOneOf("a", "b")}
}
func (*nearDefaults) Defaults() nearDefaults               { return nearDefaults{} }
func (*nearValidate) ValidateInputs(context.Context) error { return nil }
func (*nearEquivalent) EquivalentInput(string, *nearEquivalent, *nearEquivalent) bool {
	return true
}

func (*nearModify) ModifyResourcePlan(context.Context, *runtime.ResourcePlanResponse) error {
	return nil
}
func (*nearIdentity) Identity() string                         { return "" }
func (*lonelyImport) ParseImportID(string) (none, error)       { return none{}, nil }
func (*gap) SchemaVersion() int                                { return 3 }
func (*lostIdentity) Identity(runtime.NoConfig, *none) ghostID { return ghostID{} }

type ghostID struct{ B string }

func (*gap) Migrations() []runtime.Migration {
	step := func(context.Context, none) (none, error) { return none{}, nil }
	return []runtime.Migration{runtime.Migrate(0, step), runtime.Migrate(2, step)}
}

func (*nearPart) Defaults() error                           { return nil }
func (*nearRulePart) Constraints() error                    { return nil }
func (*parsedWord) UnmarshalText([]byte) error              { return nil }
func (misnamedWord) StringSemanticEquals(misnamedWord) bool { return false }
func (nearWord) SemanticEquals(string) bool                 { return false }
func (nearNumber) SemanticEquals(nearNumber) bool           { return false }

func TestInvalidResources(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reg  runtime.ResourceRegistration
		want []string
	}{
		"unknown option":                           {runtime.MakeResource[badTag, *none, runtime.NoConfig](), []string{"badTag.A", `"optionl"`, "writeonly"}},
		"bad name":                                 {runtime.MakeResource[badName, *none, runtime.NoConfig](), []string{"badName.A", `"Not-A-Name"`}},
		"same name twice":                          {runtime.MakeResource[sameName, *none, runtime.NoConfig](), []string{"sameName.A", "sameName.B", `"a"`}},
		"reserved name":                            {runtime.MakeResource[reserved, *none, runtime.NoConfig](), []string{"reserved.Count", "reserved"}},
		"unsupported type":                         {runtime.MakeResource[badType, *none, runtime.NoConfig](), []string{"badType.A", "chan int"}},
		"map keys":                                 {runtime.MakeResource[badMap, *none, runtime.NoConfig](), []string{"badMap.A", "int"}},
		"bytes":                                    {runtime.MakeResource[rawBytes, *none, runtime.NoConfig](), []string{"rawBytes.A", "base64"}},
		"recursive type":                           {runtime.MakeResource[endless, *none, runtime.NoConfig](), []string{"contains itself"}},
		"set of dynamic":                           {runtime.MakeResource[setOfAny, *none, runtime.NoConfig](), []string{"setOfAny.A", "dynamic"}},
		"set of a string":                          {runtime.MakeResource[setOfString, *none, runtime.NoConfig](), []string{"setOfString.A", "slice"}},
		"structs too deep":                         {runtime.MakeResource[deepStructs, *none, runtime.NoConfig](), []string{"deepStructs.A", "not of a collection inside another"}},
		"shared, different types":                  {runtime.MakeResource[differ, *differOut, runtime.NoConfig](), []string{"differ.A", "differOut.A", "string", "int"}},
		"required and computed":                    {runtime.MakeResource[chosenRequired, *chosenOut, runtime.NoConfig](), []string{"chosenOut.A", "chosenRequired.A"}},
		"write-only output":                        {runtime.MakeResource[secretOut, *secretOutOut, runtime.NoConfig](), []string{"secretOut.A", "never stored"}},
		"unknown replace field":                    {runtime.MakeResource[ghostReplace, *none, runtime.NoConfig](), []string{"ReplaceFields", `"b"`}},
		"unknown constraint field":                 {runtime.MakeResource[ghostConstraint, *none, runtime.NoConfig](), []string{"Constraints", `"b"`}},
		"near miss Defaults":                       {runtime.MakeResource[nearDefaults, *none, runtime.NoConfig](), []string{"Defaults", "must be func()"}},
		"near miss ValidateInputs":                 {runtime.MakeResource[nearValidate, *none, runtime.NoConfig](), []string{"ValidateInputs", "runtime.NoConfig) error"}},
		"near miss EquivalentInput":                {runtime.MakeResource[nearEquivalent, *none, runtime.NoConfig](), []string{"EquivalentInput", "bool"}},
		"near miss plan modifier":                  {runtime.MakeResource[nearModify, *none, runtime.NoConfig](), []string{"ModifyResourcePlan", "ResourcePlanRequest"}},
		"near miss Identity":                       {runtime.MakeResource[nearIdentity, *none, runtime.NoConfig](), []string{"Identity", "struct"}},
		"parser without identity":                  {runtime.MakeResource[lonelyImport, *none, runtime.NoConfig](), []string{"ParseImportID", "Identity"}},
		"missing migration":                        {runtime.MakeResource[gap, *none, runtime.NoConfig](), []string{"Migrations", "version 1"}},
		"identity without import":                  {runtime.MakeResource[lostIdentity, *none, runtime.NoConfig](), []string{"ghostID.B", "Import"}},
		"write-only inside a set":                  {runtime.MakeResource[secretInside, *none, runtime.NoConfig](), []string{"secretInside.A", "writeonly"}},
		"near miss of a nested struct":             {runtime.MakeResource[nestedNear, *none, runtime.NoConfig](), []string{"nestedNear.A", "Defaults", "func() error", "must be func()"}},
		"near miss Constraints of a nested struct": {runtime.MakeResource[nestedNearRule, *none, runtime.NoConfig](), []string{"nestedNearRule.A", "Constraints", "must be func() []runtime.Constraint"}},
		"computed without output":                  {runtime.MakeResource[ownerless, *none, runtime.NoConfig](), []string{"ownerless.A", "computed", "outputs"}},
		"near miss SemanticEquals":                 {runtime.MakeResource[nearText, *none, runtime.NoConfig](), []string{"nearText.A", "SemanticEquals", "nearWord) bool"}},
		"misnamed SemanticEquals":                  {runtime.MakeResource[misnamedText, *none, runtime.NoConfig](), []string{"misnamedText.A", "StringSemanticEquals", "the optional method is SemanticEquals"}},
		"text that is only parsed":                 {runtime.MakeResource[halfText, *none, runtime.NoConfig](), []string{"halfText.A", "UnmarshalText", "needs the method MarshalText() ([]byte, error)"}},
		"SemanticEquals of a number":               {runtime.MakeResource[nearValue, *none, runtime.NoConfig](), []string{"nearValue.A", "SemanticEquals", "string types"}},
		"duration in nanoseconds":                  {runtime.MakeResource[span, *none, runtime.NoConfig](), []string{"span.A", "runtime.Duration"}},
		"dynamic and computed":                     {runtime.MakeResource[unruly, *unrulyOut, runtime.NoConfig](), []string{"unruly.A", "dynamic"}},
		"block of a Value":                         {runtime.MakeResource[valueBlock, *none, runtime.NoConfig](), []string{"valueBlock.A", "block"}},
		"block of a list pointer":                  {runtime.MakeResource[pointerBlock, *none, runtime.NoConfig](), []string{"pointerBlock.A", "block"}},
		"constraint on a block":                    {runtime.MakeResource[blockConstraint, *none, runtime.NoConfig](), []string{"Constraints", `"a"`, "block"}},
		"empty registration":                       {runtime.ResourceRegistration{}, []string{"MakeResource"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"x": tt.reg}})
			if err == nil {
				t.Fatalf("New: got no error, want one with %q", tt.want)
			}
			for _, word := range append(tt.want, "test_x") {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not contain %q: %v", word, err)
				}
			}
		})
	}
}

// shapes has many kinds of attributes and blocks.
type shapes struct {
	crud[shapes, shapesOut] `tf:"-"`

	Name     string
	OwnerID  int
	SHA256   string             `tf:",optional,sensitive"`
	Any      any                `tf:",optional"`
	Dynamic  cty.Value          `tf:",optional"`
	Ratio    *float64           `tf:"share"`
	Maybe    runtime.Value[int] `tf:",optional"`
	Tags     []string           `tf:",optional,set"`
	Token    string             `tf:",optional,writeonly,sensitive"`
	One      inner
	Many     []inner          `tf:",optional"`
	Keyed    map[string]inner `tf:",optional"`
	Distinct []inner          `tf:",set,optional"`
	Part     inner            `tf:",block"`
	Rule     []inner          `tf:",block"`
	Mount    map[string]inner `tf:",block"`
	Choice   string           `tf:",optional"`
	Greeting string
	common
	hidden int //nolint:unused // unexported, so not an attribute
}

type common struct {
	Host *string
}

type inner struct {
	Key   string
	Value string `tf:",optional,sensitive"`
}

type shapesOut struct {
	Choice string `tf:",computed"`
	Size   uint64
	Found  []inner
}

func (s *shapes) Defaults() { s.Greeting = "hello" }

func (s *shapes) Descriptions() map[string]string {
	return map[string]string{"shapes": "All shapes.", "shapes.Name": "Its name."}
}

func (*inner) Descriptions() map[string]string { return map[string]string{"inner.Key": "The key."} }

// tangled contains a type that contains itself in several fields.
type tangled struct {
	crud[tangled, none] `tf:"-"`
	Root, Other         *knot
}

type knot struct{ A, B, C, D []knot }

// TestRecursiveTypeIsOneMistake checks that a type that contains itself is reported once for each
// attribute of the resource that has the type, although the number of paths into it grows
// exponentially with their length.
func TestRecursiveTypeIsOneMistake(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"tangled": runtime.MakeResource[tangled, *none, runtime.NoConfig](),
	}})
	if err == nil {
		t.Fatal("New: got no error, want one")
	}
	if n := strings.Count(err.Error(), "contains itself"); n != 2 {
		t.Errorf("the error reports %d times that a type contains itself, want 2: %v", n, err)
	}
}

func TestSchemaOfAStruct(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"shapes": runtime.MakeResource[shapes, *shapesOut, runtime.NoConfig](),
	}})
	got := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes["test_shapes"].Body

	object := func(mode configschema.NestingMode, computed bool) *configschema.Object {
		return &configschema.Object{Nesting: mode, Attributes: map[string]*configschema.Attribute{
			"key":   {Type: cty.String, Required: !computed, Computed: computed, Description: "The key."},
			"value": {Type: cty.String, Optional: !computed, Computed: computed, Sensitive: true},
		}}
	}
	block := configschema.Block{Attributes: object(configschema.NestingSingle, false).Attributes}
	want := &configschema.Block{
		Description: "All shapes.",
		Attributes: map[string]*configschema.Attribute{
			"name":     {Type: cty.String, Required: true, Description: "Its name."},
			"owner_id": {Type: cty.Number, Required: true},
			"sha256":   {Type: cty.String, Optional: true, Sensitive: true},
			"any":      {Type: cty.DynamicPseudoType, Optional: true},
			"dynamic":  {Type: cty.DynamicPseudoType, Optional: true},
			"share":    {Type: cty.Number, Optional: true},
			"maybe":    {Type: cty.Number, Optional: true},
			"tags":     {Type: cty.Set(cty.String), Optional: true},
			"token":    {Type: cty.String, Optional: true, WriteOnly: true, Sensitive: true},
			"one":      {NestedType: object(configschema.NestingSingle, false), Required: true},
			"many":     {NestedType: object(configschema.NestingList, false), Optional: true},
			"keyed":    {NestedType: object(configschema.NestingMap, false), Optional: true},
			"distinct": {NestedType: object(configschema.NestingSet, false), Optional: true},
			"choice":   {Type: cty.String, Optional: true, Computed: true},
			"greeting": {Type: cty.String, Optional: true, Computed: true},
			"host":     {Type: cty.String, Optional: true},
			"size":     {Type: cty.Number, Computed: true},
			"found":    {NestedType: object(configschema.NestingList, true), Computed: true},
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"part":  {Block: block, Nesting: configschema.NestingSingle, MinItems: 1, MaxItems: 1},
			"rule":  {Block: block, Nesting: configschema.NestingList},
			"mount": {Block: block, Nesting: configschema.NestingMap},
		},
	}
	options := []cmp.Option{
		cmpopts.IgnoreTypes(configschema.StringKind(0)), cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b cty.Type) bool {
			return a == cty.NilType && b == cty.NilType || a != cty.NilType && b != cty.NilType && a.Equals(b)
		}),
	}
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}
