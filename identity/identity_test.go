package identity_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/identity"
)

type attrs = map[string]*configschema.Attribute

func object(a attrs) *configschema.Object {
	return &configschema.Object{Nesting: configschema.NestingSingle, Attributes: a}
}

// hostPath is the identity schema of a file.
var hostPath = object(attrs{
	"host": {Type: cty.String, Optional: true},
	"path": {Type: cty.String, Required: true},
})

func file(host, path cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"host": host, "path": path})
}

var (
	nullString    = cty.NullVal(cty.String)
	unknownString = cty.UnknownVal(cty.String)
	local         = cty.StringVal("local")
	remote        = cty.StringVal("remote")
	motd          = cty.StringVal("/etc/motd")
	hosts         = cty.StringVal("/etc/hosts")
	noIdentity    = cty.NullVal(hostPath.ImpliedType())
)

// attributesOf returns the names of the attributes in joined errors; "" is the
// identity itself.
func attributesOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	errs := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		errs = joined.Unwrap()
	}
	var names []string
	for _, err := range errs {
		var pathErr cty.PathError
		if !errors.As(err, &pathErr) {
			names = append(names, "")
			continue
		}
		if len(pathErr.Path) != 1 {
			t.Fatalf("got a path of %d steps, want 1: %v", len(pathErr.Path), err)
		}
		names = append(names, pathErr.Path[0].(cty.GetAttrStep).Name)
	}
	return names
}

func TestValidate(t *testing.T) {
	t.Parallel()
	one := func(a *configschema.Attribute) *configschema.Object { return object(attrs{"a": a}) }
	typed := func(ty cty.Type) *configschema.Object {
		return one(&configschema.Attribute{Type: ty, Required: true})
	}
	tests := map[string]struct {
		schema *configschema.Object
		want   []string
	}{
		"host and path":                 {hostPath, nil},
		"nil":                           {nil, []string{""}},
		"empty":                         {object(nil), []string{""}},
		"not single":                    {&configschema.Object{Nesting: configschema.NestingList, Attributes: hostPath.Attributes}, []string{""}},
		"nil attribute":                 {one(nil), []string{"a"}},
		"no flag":                       {one(&configschema.Attribute{Type: cty.String}), []string{"a"}},
		"both flags":                    {one(&configschema.Attribute{Type: cty.String, Required: true, Optional: true}), []string{"a"}},
		"computed":                      {one(&configschema.Attribute{Type: cty.String, Optional: true, Computed: true}), []string{"a"}},
		"sensitive":                     {one(&configschema.Attribute{Type: cty.String, Required: true, Sensitive: true}), []string{"a"}},
		"write-only":                    {one(&configschema.Attribute{Type: cty.String, Required: true, WriteOnly: true}), []string{"a"}},
		"bool":                          {typed(cty.Bool), nil},
		"number":                        {typed(cty.Number), nil},
		"list of strings":               {typed(cty.List(cty.String)), nil},
		"list of lists":                 {typed(cty.List(cty.List(cty.String))), []string{"a"}},
		"list of maps":                  {typed(cty.List(cty.Map(cty.String))), []string{"a"}},
		"list of dynamic":               {typed(cty.List(cty.DynamicPseudoType)), []string{"a"}},
		"set":                           {typed(cty.Set(cty.String)), []string{"a"}},
		"map":                           {typed(cty.Map(cty.String)), []string{"a"}},
		"object":                        {typed(cty.EmptyObject), []string{"a"}},
		"dynamic":                       {typed(cty.DynamicPseudoType), []string{"a"}},
		"no type":                       {typed(cty.NilType), []string{"a"}},
		"nested type":                   {one(&configschema.Attribute{Required: true, NestedType: hostPath}), []string{"a"}},
		"upper-case name":               {object(attrs{"Path": {Type: cty.String, Required: true}}), []string{"Path"}},
		"digit first":                   {object(attrs{"1st": {Type: cty.String, Required: true}}), []string{"1st"}},
		"several, sorted":               {object(attrs{"b": nil, "c": nil, "a": nil}), []string{"a", "b", "c"}},
		"two errors about an attribute": {typedAndFlagless(), []string{"a", "a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := identity.Validate(tt.schema)
			if diff := cmp.Diff(tt.want, attributesOf(t, err)); diff != "" {
				t.Errorf("attributes (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

func typedAndFlagless() *configschema.Object {
	return object(attrs{"a": {Type: cty.Map(cty.String)}})
}

// TestValidateIncludesInternalValidate checks that schemas that Validate
// accepts also pass InternalValidate.
func TestValidateIncludesInternalValidate(t *testing.T) {
	t.Parallel()
	for _, schema := range []*configschema.Object{hostPath, object(attrs{"a": {Type: cty.List(cty.Bool), Optional: true}})} {
		if err := errors.Join(identity.Validate(schema), schema.InternalValidate()); err != nil {
			t.Error(err)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	list := func(v cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"a": v}) }
	tests := map[string]struct {
		value cty.Value
		want  bool
	}{
		"nothing":                     {cty.NilVal, true},
		"null":                        {noIdentity, true},
		"dynamic null":                {cty.NullVal(cty.DynamicPseudoType), true},
		"all null":                    {file(nullString, nullString), true},
		"empty object":                {cty.EmptyObjectVal, true},
		"empty list inside":           {list(cty.ListValEmpty(cty.String)), true},
		"list of null inside":         {list(cty.ListVal([]cty.Value{nullString})), true},
		"partial":                     {file(nullString, motd), false},
		"empty string is not missing": {file(nullString, cty.StringVal("")), false},
		"unknown inside":              {file(nullString, unknownString), false},
		"unknown":                     {cty.UnknownVal(hostPath.ImpliedType()), false},
		"marked null":                 {noIdentity.Mark("m"), true},
		"marked null inside":          {file(nullString.Mark("m"), nullString), true},
		"marked string inside":        {file(nullString, motd.Mark("m")), false},
	}
	for name, tt := range tests {
		if got := identity.Missing(tt.value); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

func TestStable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prior, next cty.Value
		want        []string
	}{
		"same":               {file(local, motd), file(local, motd), nil},
		"nothing before":     {noIdentity, file(local, motd), nil},
		"all null before":    {file(nullString, nullString), file(local, motd), nil},
		"NilVal before":      {cty.NilVal, file(local, motd), nil},
		"nothing at all":     {cty.NilVal, cty.NilVal, nil},
		"gone":               {file(local, motd), noIdentity, []string{""}},
		"all null now":       {file(local, motd), file(nullString, nullString), []string{""}},
		"one changed":        {file(local, motd), file(local, hosts), []string{"path"}},
		"both, sorted":       {file(local, motd), file(remote, hosts), []string{"host", "path"}},
		"filled in":          {file(nullString, motd), file(local, motd), []string{"host"}},
		"filled and changed": {file(nullString, motd), file(local, hosts), []string{"host", "path"}},
		"emptied":            {file(local, motd), file(nullString, motd), []string{"host"}},
		"unknown now":        {file(local, motd), file(local, unknownString), []string{"path"}},
		"attribute gone":     {file(local, motd), cty.ObjectVal(map[string]cty.Value{"path": motd}), []string{"host"}},
		"attribute new":      {cty.ObjectVal(map[string]cty.Value{"path": motd}), file(local, motd), []string{"host"}},
		"marks are ignored":  {file(local.Mark("m"), motd), file(local, motd).Mark("m"), nil},
		"not objects":        {local, remote, []string{""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := identity.Stable(tt.prior, tt.next)
			if diff := cmp.Diff(tt.want, attributesOf(t, err)); diff != "" {
				t.Errorf("attributes (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schema *configschema.Object
		value  cty.Value
		want   []string
	}{
		"complete":                   {hostPath, file(local, motd), nil},
		"optional attribute is null": {hostPath, file(nullString, motd), nil},
		"required attribute is null": {hostPath, file(local, nullString), []string{"path"}},
		"unknown inside":             {hostPath, file(unknownString, unknownString), []string{"host", "path"}},
		"unknown":                    {hostPath, cty.UnknownVal(hostPath.ImpliedType()), []string{"host", "path"}},
		"null":                       {hostPath, noIdentity, []string{""}},
		"nothing":                    {hostPath, cty.NilVal, []string{""}},
		"no schema":                  {nil, file(local, motd), []string{""}},
		"another type":               {hostPath, cty.ObjectVal(map[string]cty.Value{"path": cty.True}), []string{""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := identity.Complete(tt.schema, tt.value)
			if diff := cmp.Diff(tt.want, attributesOf(t, err)); diff != "" {
				t.Errorf("attributes (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

func TestCheckImport(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schema   *configschema.Object
		id       string
		identity cty.Value
		want     []string
	}{
		"id":                                   {hostPath, "/etc/motd", noIdentity, nil},
		"id, without identity":                 {nil, "/etc/motd", cty.NilVal, nil},
		"identity":                             {hostPath, "", file(nullString, motd), nil},
		"neither":                              {hostPath, "", noIdentity, []string{""}},
		"both":                                 {hostPath, "/etc/motd", file(local, motd), []string{""}},
		"identity for a type without identity": {nil, "", file(local, motd), []string{""}},
		"incomplete identity":                  {hostPath, "", file(local, nullString), []string{"path"}},
		"identity of nulls":                    {hostPath, "", file(nullString, nullString), []string{""}},
		"unknown identity":                     {hostPath, "", file(unknownString, motd), []string{"host"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := identity.CheckImport(tt.schema, tt.id, tt.identity)
			if diff := cmp.Diff(tt.want, attributesOf(t, err)); diff != "" {
				t.Errorf("attributes (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
