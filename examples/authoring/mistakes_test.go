package authoring_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// life has the methods that the types below share, so that each type has only one mistake.
type life[In, Out any] struct{}

func (life[In, Out]) SchemaVersion() int      { return 0 }
func (life[In, Out]) ReplaceFields() []string { return nil }

func (life[In, Out]) Create(context.Context, runtime.NoConfig) (*Out, error) { return new(Out), nil }

func (life[In, Out]) Read(context.Context, runtime.NoConfig, *Out) (*Out, error) {
	return new(Out), nil
}

func (life[In, Out]) Update(context.Context, runtime.NoConfig, runtime.Prior[In, *Out]) (*Out, error) {
	return new(Out), nil
}

func (life[In, Out]) Delete(context.Context, runtime.NoConfig, *Out) error { return nil }

type output struct{ Name string }

type (
	goDuration struct {
		life[goDuration, output] `tf:"-"`
		Wait                     time.Duration
	}
	bytes struct {
		life[bytes, output] `tf:"-"`
		Content             []byte
	}
	misspelt struct {
		life[misspelt, output] `tf:"-"`
		Token                  string `tf:",write_only"`
	}
	reserved struct {
		life[reserved, output] `tf:"-"`
		Count                  int64
	}
	twoTypes struct {
		life[twoTypes, output] `tf:"-"`
		Name                   int64
	}
	oneSet struct {
		life[oneSet, tags] `tf:"-"`
		Tags               []string `tf:",set"`
	}
	tags        struct{ Tags []string }
	nothingLeft struct {
		life[nothingLeft, chosen] `tf:"-"`
		Name                      string
	}
	chosen struct {
		Name string `tf:",computed"`
	}
	both struct {
		life[both, chosen] `tf:"-"`
		Name               *string
	}
	noBlock struct {
		life[noBlock, output] `tf:"-"`
		Rules                 []string `tf:"rule,block"`
	}
	nearMiss struct {
		life[nearMiss, output] `tf:"-"`
		Name                   string
	}
	similar struct {
		life[similar, output] `tf:"-"`
		Name                  string
	}
	parent struct {
		life[parent, output] `tf:"-"`
		Rules                []rule
	}
	rule         struct{ Port int64 }
	lostDefaults struct {
		life[lostDefaults, output] `tf:"-"`
		Name                       *string
	}
	replaceTypo struct {
		life[replaceTypo, output] `tf:"-"`
		Name                      string
	}
	ruleTypo struct {
		life[ruleTypo, output] `tf:"-"`
		Name                   string
	}
	badDefault struct {
		life[badDefault, output] `tf:"-"`
		Port                     int64
	}
	noStep struct {
		life[noStep, output] `tf:"-"`
		Name                 string
	}
	noIdentity struct {
		life[noIdentity, output] `tf:"-"`
		Name                     string
	}
	joint struct {
		life[joint, output] `tf:"-"`
		First, Last         int64
	}
	search struct{}
)

func (b *both) Defaults() { b.Name = new("x") }

func (*nearMiss) ValidateInputs(context.Context) error { return nil }

func (*similar) Default() error { return nil }

func (*rule) ReplaceFields() []string { return []string{"port"} }

func (lostDefaults) Defaults() {}

func (*replaceTypo) ReplaceFields() []string { return []string{"Name"} }

func (*ruleTypo) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("title", 1, 8)}
}

func (b *badDefault) Defaults() { b.Port = 70000 }

func (*badDefault) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("port", 1, 65535)}
}

func (*joint) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.CheckTogether("", func(first, last int) error {
		if first > last {
			return errors.New("the first number is greater than the last")
		}
		return nil
	}, "first", "last")}
}

func (*noStep) SchemaVersion() int { return 2 }

func (*noStep) Migrations() []runtime.Migration {
	return []runtime.Migration{runtime.Rename(0, "a", "name")}
}

func (search) List(context.Context, runtime.NoConfig, runtime.ListRequest) iter.Seq2[runtime.Listed[*output], error] {
	return func(func(runtime.Listed[*output], error) bool) {}
}

func shout(text string) string { return strings.ToUpper(text) }

func one(r runtime.ResourceRegistration) runtime.Definition {
	return runtime.Definition{Name: "zone", Resources: map[string]runtime.ResourceRegistration{"it": r}}
}

// registrationMistakes returns provider definitions with the mistakes that New finds, by the names of the
// mistakes in docs/mistakes.md.
func registrationMistakes() map[string]runtime.Definition {
	return map[string]runtime.Definition{
		"a field of type `time.Duration`":              one(runtime.MakeResource[goDuration, *output, runtime.NoConfig]()),
		"a field of bytes":                             one(runtime.MakeResource[bytes, *output, runtime.NoConfig]()),
		"a misspelt option":                            one(runtime.MakeResource[misspelt, *output, runtime.NoConfig]()),
		"a reserved name":                              one(runtime.MakeResource[reserved, *output, runtime.NoConfig]()),
		"two types for one attribute":                  one(runtime.MakeResource[twoTypes, *output, runtime.NoConfig]()),
		"a set in the inputs only":                     one(runtime.MakeResource[oneSet, *tags, runtime.NoConfig]()),
		"an input that is required and computed":       one(runtime.MakeResource[nothingLeft, *chosen, runtime.NoConfig]()),
		"an attribute with a default that is computed": one(runtime.MakeResource[both, *chosen, runtime.NoConfig]()),
		"a block of strings":                           one(runtime.MakeResource[noBlock, *output, runtime.NoConfig]()),
		"an optional method with a similar name":       one(runtime.MakeResource[similar, *output, runtime.NoConfig]()),
		"a method of resources in a nested struct":     one(runtime.MakeResource[parent, *output, runtime.NoConfig]()),
		"defaults in a copy":                           one(runtime.MakeResource[lostDefaults, *output, runtime.NoConfig]()),
		"an optional method with a wrong signature":    one(runtime.MakeResource[nearMiss, *output, runtime.NoConfig]()),
		"the name of a field instead of its attribute": one(runtime.MakeResource[replaceTypo, *output, runtime.NoConfig]()),
		"a constraint of an unknown attribute":         one(runtime.MakeResource[ruleTypo, *output, runtime.NoConfig]()),
		"a default that breaks a constraint":           one(runtime.MakeResource[badDefault, *output, runtime.NoConfig]()),
		"a missing migration":                          one(runtime.MakeResource[noStep, *output, runtime.NoConfig]()),
		"a list resource without an identity": {
			Name:      "zone",
			Resources: map[string]runtime.ResourceRegistration{"it": runtime.MakeResource[noIdentity, *output, runtime.NoConfig]()},
			Lists:     map[string]runtime.ListRegistration{"it": runtime.MakeLister[search, *output, runtime.NoConfig]()},
		},
		"a parameter of `CheckTogether` of another type": one(runtime.MakeResource[joint, *output, runtime.NoConfig]()),
		"a parameter without a name": {
			Name:      "zone",
			Functions: map[string]runtime.FunctionRegistration{"shout": runtime.MakeFunc(shout, runtime.FuncSpec{})},
		},
		"a resource for another type of client": {
			Name:      "zone",
			Config:    runtime.MakeConfig(func(context.Context, *struct{}) (int, error) { return 0, nil }),
			Resources: map[string]runtime.ResourceRegistration{"it": runtime.MakeResource[elsewhere, *output, string]()},
		},
	}
}

// mistakesTable returns the rows of the table in docs/mistakes.md by name.
func mistakesTable(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/mistakes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| mistake | reported by | text |\n|---|---|---|\n")
	if !ok {
		t.Fatal("docs/mistakes.md has no table of mistakes")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string]string{}
	for row := range strings.SplitSeq(table, "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		rows[name] = row
	}
	return rows
}

// row returns the row of the table for a mistake.
func (r report) row(name string) string {
	return fmt.Sprintf("| %s | %s | %#q |", name, r.when, r.text)
}

// TestMistakes makes each mistake of the table in docs/mistakes.md, except those of
// TestToolMistakes, and checks that the table has its first report.
func TestMistakes(t *testing.T) {
	t.Parallel()
	rows := mistakesTable(t)
	mistakes := registrationMistakes()
	maps.Copy(mistakes, lateMistakes())
	for name, def := range mistakes {
		if want := firstReport(t, def).row(name); rows[name] != want {
			t.Errorf("the table has\n%s\nwant\n%s", rows[name], want)
		}
		delete(rows, name)
	}
	if got := slices.Sorted(maps.Keys(rows)); !slices.Equal(got, []string{missingComment, missingMethod}) {
		t.Errorf("the other mistakes of the table are %q, want those of TestToolMistakes, %q and %q", got, missingComment, missingMethod)
	}
}

// elsewhere is a resource for a provider whose client is a string.
type elsewhere struct{ Name string }

func (elsewhere) SchemaVersion() int      { return 0 }
func (elsewhere) ReplaceFields() []string { return nil }

func (elsewhere) Create(context.Context, string) (*output, error) { return &output{}, nil }

func (elsewhere) Read(context.Context, string, *output) (*output, error) { return &output{}, nil }

func (elsewhere) Update(context.Context, string, runtime.Prior[elsewhere, *output]) (*output, error) {
	return &output{}, nil
}

func (elsewhere) Delete(context.Context, string, *output) error { return nil }
