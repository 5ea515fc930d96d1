package lifecycle

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ConflictErrorf returns the error of a create that finds an object which it must not adopt.
// The error belongs to the attribute that names the object.
func ConflictErrorf(attribute, format string, args ...any) error {
	return diag.Diagnostic{Summary: "Object already exists", Detail: fmt.Sprintf(format, args...), Path: cty.GetAttrPath(attribute)}
}
