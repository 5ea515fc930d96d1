package hostile_test

import (
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// judge checks responses and calls fail for each failure.
type judge struct {
	fail func(format string, args ...any)
	// types has the types of values in responses, by RPC and type name.
	types map[subject]cty.Type
	// forged means that requests may contain values that the provider did not
	// return; see comparing.
	forged bool
	// identities has the types of identities by managed resource type.
	identities map[string]cty.Type
	// slowest is the time of the slowest request of an execution; see stopwatch.
	slowest time.Duration
}

// subject is the RPC and type of a value in a response.
type subject struct{ rpc, typeName string }

// bugTexts has parts of messages about mistakes in the provider's code, which are
// failures. The messages are those of packages guard, runtime and tfprotov6.
var bugTexts = []string{
	"provider bug", "bug in the provider", "the provider panicked", "value cannot be encoded", "identity without schema", "unknown event",
}

// comparing has the rules of package guard that compare a response with an
// earlier response in the request: a plan, or a stored identity. They are checked
// only if requests are not forged, because a provider cannot detect a forged plan.
var comparing = []string{"APPLY-008", "APPLY-009", "APPLY-010", "APPLY-013", "READ-005", "PLAN-013"}

// excused reports whether a message does not count as a failure because requests are forged: it is about a rule of
// comparing, or about an identity made from an input that validation rejects, as a forged plan is not validated.
func (j *judge) excused(summary, detail string) bool {
	return j.forged && (strings.Contains(detail, "the method Identity returned an empty string") ||
		slices.ContainsFunc(comparing, func(id string) bool { return strings.HasSuffix(summary, "("+id+")") }))
}

// message calls fail if a diagnostic reports a bug in the provider, unless it is excused.
func (j *judge) message(rpc string, summary, detail string) {
	text := strings.ToLower(summary + "\n" + detail)
	for _, phrase := range bugTexts {
		if strings.Contains(text, phrase) && !j.excused(summary, detail) {
			j.fail("%s reports a bug in the provider: %s\n%s", rpc, summary, detail)
			return
		}
	}
}

func (j *judge) messages(rpc string, all diag.Diagnostics) {
	for _, m := range all {
		j.message(rpc, m.Summary, m.Detail)
	}
}

// answer checks a response or an element of a stream.
func (j *judge) answer(about subject, resp any, err error) {
	if err != nil {
		j.fail("%s returned an error instead of a response: %v", about.rpc, err)
	}
	if v := reflect.ValueOf(resp); v.IsValid() && !v.IsZero() {
		j.part(about, "", v)
	} else if err == nil {
		j.fail("%s returned no response", about.rpc)
	}
}

// part checks the diagnostics, paths, values and strings in a part of a response.
func (j *judge) part(about subject, name string, v reflect.Value) {
	switch it := v.Interface().(type) {
	case *tfplugin.Diagnostic:
		j.message(about.rpc, it.Summary, it.Detail)
		j.path(about, it.Attribute)
		return
	case *tfplugin.FunctionError:
		if it != nil {
			j.message(about.rpc, it.Text, "")
		}
		return
	case *tftypes.AttributePath:
		j.path(about, it)
		return
	case *tfplugin.DynamicValue:
		j.value(about, name, j.types[about], it)
		return
	case *tfplugin.ResourceIdentityData:
		if it != nil {
			j.value(about, name, j.identities[about.typeName], it.IdentityData)
		}
		return
	case *tfplugin.ImportedResource:
		about.typeName = it.TypeName // may differ from the requested type
	case string:
		if !utf8.ValidString(it) {
			j.fail("%s: %s is not UTF-8, so the response cannot be sent: %q", about.rpc, name, it)
		}
		return
	case []byte, time.Time:
		return
	}
	switch v.Kind() { //nolint:exhaustive // the others contain nothing that is checked
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			j.part(about, name, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			j.part(about, name, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.Func {
				j.part(about, f.Name, v.Field(i))
			}
		}
	}
}

// path checks that a path can be sent.
func (j *judge) path(about subject, path *tftypes.AttributePath) {
	if path == nil {
		return
	}
	for _, step := range path.Steps() {
		text := ""
		switch step := step.(type) {
		case tftypes.AttributeName:
			text = string(step)
		case tftypes.ElementKeyString:
			text = string(step)
		}
		if !utf8.ValidString(text) {
			j.fail("%s: the path %s is not UTF-8, so the response cannot be sent", about.rpc, path)
		}
	}
}

// value checks with go-cty's codec that a value matches the schema.
func (j *judge) value(about subject, name string, ty cty.Type, dv *tfplugin.DynamicValue) {
	if dv == nil || ty == cty.NilType {
		return
	}
	var err error
	switch {
	case len(dv.MsgPack) > 0:
		_, err = msgpack.Unmarshal(dv.MsgPack, ty)
	case len(dv.JSON) > 0:
		_, err = ctyjson.Unmarshal(dv.JSON, ty)
	}
	if err != nil {
		j.fail("%s: the %s of %s cannot be read: %v\nmsgpack %x\nJSON %s", about.rpc, name, about.typeName, err, dv.MsgPack, dv.JSON)
	}
}

// expect sets the types of values in responses from a provider's schemas.
func (j *judge) expect(s provider.GetProviderSchemaResponse) {
	j.types, j.identities = make(map[subject]cty.Type), make(map[string]cty.Type)
	expect := func(types map[string]provider.Schema, rpcs ...string) {
		for name, schema := range types {
			for _, rpc := range rpcs {
				j.types[subject{rpc, name}] = schema.Body.ImpliedType()
			}
		}
	}
	expect(s.ResourceTypes, "ReadResource", "PlanResourceChange", "ApplyResourceChange", "UpgradeResourceState",
		"ImportResourceState", "MoveResourceState", "GenerateResourceConfig", "ListResource")
	expect(s.DataSources, "ReadDataSource")
	expect(s.EphemeralResourceTypes, "OpenEphemeralResource")
	for name, f := range s.Functions {
		j.types[subject{"CallFunction", name}] = f.ReturnType
	}
	for name, schema := range s.ResourceTypes {
		if schema.Identity != nil {
			j.identities[name] = schema.Identity.ImpliedType()
		}
	}
}
