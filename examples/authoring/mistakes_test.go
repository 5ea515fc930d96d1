package authoring_test

import (
	"context"
	"iter"
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
	search struct{}
)

func (b *both) Defaults() { b.Name = new("x") }

func (*nearMiss) ValidateInputs(context.Context) error { return nil }

func (*similar) Default() error { return nil }

func (lostDefaults) Defaults() {}

func (*replaceTypo) ReplaceFields() []string { return []string{"Name"} }

func (*ruleTypo) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Length("title", 1, 8)}
}

func (b *badDefault) Defaults() { b.Port = 70000 }

func (*badDefault) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("port", 1, 65535)}
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

// TestMistakes checks that each row of the guide's table of mistakes has a case here, and
// that the table has the error of each case.
func TestMistakes(t *testing.T) {
	t.Parallel()
	text, _ := readGuide(t)
	_, table, ok := strings.Cut(text, "| mistake | error of `New` |\n")
	if !ok {
		t.Fatal("the guide has no table of mistakes")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	mistakes := map[string]runtime.Definition{
		"a time.Duration":                        one(runtime.MakeResource[goDuration, *output, runtime.NoConfig]()),
		"bytes":                                  one(runtime.MakeResource[bytes, *output, runtime.NoConfig]()),
		"a misspelt option":                      one(runtime.MakeResource[misspelt, *output, runtime.NoConfig]()),
		"a reserved name":                        one(runtime.MakeResource[reserved, *output, runtime.NoConfig]()),
		"two types":                              one(runtime.MakeResource[twoTypes, *output, runtime.NoConfig]()),
		"a set in one struct":                    one(runtime.MakeResource[oneSet, *tags, runtime.NoConfig]()),
		"required and computed":                  one(runtime.MakeResource[nothingLeft, *chosen, runtime.NoConfig]()),
		"default and computed":                   one(runtime.MakeResource[both, *chosen, runtime.NoConfig]()),
		"a block of strings":                     one(runtime.MakeResource[noBlock, *output, runtime.NoConfig]()),
		"an optional method with a similar name": one(runtime.MakeResource[similar, *output, runtime.NoConfig]()),
		"defaults in a copy":                     one(runtime.MakeResource[lostDefaults, *output, runtime.NoConfig]()),
		"a method with a wrong signature":        one(runtime.MakeResource[nearMiss, *output, runtime.NoConfig]()),
		"a Go name in ReplaceFields":             one(runtime.MakeResource[replaceTypo, *output, runtime.NoConfig]()),
		"a typo in Constraints":                  one(runtime.MakeResource[ruleTypo, *output, runtime.NoConfig]()),
		"a default out of range":                 one(runtime.MakeResource[badDefault, *output, runtime.NoConfig]()),
		"a version without a migration":          one(runtime.MakeResource[noStep, *output, runtime.NoConfig]()),
		"a list resource without an identity": {
			Name:      "zone",
			Resources: map[string]runtime.ResourceRegistration{"it": runtime.MakeResource[noIdentity, *output, runtime.NoConfig]()},
			Lists:     map[string]runtime.ListRegistration{"it": runtime.MakeLister[search, *output, runtime.NoConfig]()},
		},
		"a parameter without a name": {
			Name:      "zone",
			Functions: map[string]runtime.FunctionRegistration{"shout": runtime.MakeFunc(shout, runtime.FuncSpec{})},
		},
		"another Config": {
			Name:      "zone",
			Config:    runtime.MakeConfig(func(context.Context, *struct{}) (int, error) { return 0, nil }),
			Resources: map[string]runtime.ResourceRegistration{"it": runtime.MakeResource[elsewhere, *output, string]()},
		},
	}
	rows := strings.Count(table, "\n|") // without the separator of the header
	if rows != len(mistakes) {
		t.Errorf("the table has %d rows, the test has %d mistakes", rows, len(mistakes))
	}
	for name, def := range mistakes {
		_, err := runtime.New(def)
		if err == nil {
			t.Errorf("%s is accepted", name)
			continue
		}
		message := strings.ReplaceAll(err.Error(), "authoring_test.", "")
		if !strings.Contains(table, "`"+message+"`") {
			t.Errorf("%s: the table does not have\n`%s`", name, message)
		}
	}
}

// elsewhere is a type for a provider whose Config is a string.
type elsewhere struct{ Name string }

func (elsewhere) SchemaVersion() int      { return 0 }
func (elsewhere) ReplaceFields() []string { return nil }

func (elsewhere) Create(context.Context, string) (*output, error) { return &output{}, nil }

func (elsewhere) Read(context.Context, string, *output) (*output, error) { return &output{}, nil }

func (elsewhere) Update(context.Context, string, runtime.Prior[elsewhere, *output]) (*output, error) {
	return &output{}, nil
}

func (elsewhere) Delete(context.Context, string, *output) error { return nil }
