package provider_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/provider"
)

// TestUnimplemented checks that requests that the provider does not offer
// return an error that names their type, if they have one, not an empty response.
func TestUnimplemented(t *testing.T) {
	t.Parallel()
	silent := map[string]bool{ // an empty response is valid
		"GetResourceIdentitySchemas": true, "ValidateProviderConfig": true, "ConfigureProvider": true,
	}
	p := reflect.ValueOf(provider.Unimplemented{})
	for i := range p.NumMethod() {
		method := p.Type().Method(i)
		if method.Type.NumIn() != 3 {
			continue // Stop and Close
		}
		req := reflect.New(method.Type.In(2)).Elem()
		for _, name := range []string{"TypeName", "TargetTypeName", "ActionType"} {
			if f := req.FieldByName(name); f.IsValid() {
				f.SetString("posix_thing")
			}
		}
		resp := p.Method(i).Call([]reflect.Value{reflect.ValueOf(t.Context()), req})[0]
		var err error
		if diags := resp.FieldByName("Diagnostics"); diags.IsValid() {
			if e := diags.MethodByName("Err").Call(nil)[0]; !e.IsNil() {
				err, _ = reflect.TypeAssert[error](e)
			}
		} else {
			err, _ = reflect.TypeAssert[error](resp.FieldByName("Err"))
		}
		switch {
		case silent[method.Name]:
			if err != nil {
				t.Errorf("%s: %v", method.Name, err)
			}
		case err == nil:
			t.Errorf("%s: no error", method.Name)
		case req.NumField() > 0 && method.Name != "CallFunction" && !strings.Contains(err.Error(), "posix_thing"):
			t.Errorf("%s: the error is %v, want an error that names posix_thing", method.Name, err)
		}
	}
}
