package lifecycle

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
)

// ConflictErrorf returns the error of a create that finds an object which it must not adopt.
// The error belongs to the attribute that names the object.
func ConflictErrorf(attribute, format string, args ...any) error {
	return diag.Diagnostic{Summary: "Object already exists", Detail: fmt.Sprintf(format, args...), Path: cty.GetAttrPath(attribute)}
}

// ChangedAfterPlan returns the error of an update that finds a file with content which its
// plan has not shown. The error belongs to the attribute that names the object.
func ChangedAfterPlan(attribute string, h host.Host, path address.Path) error {
	return PartChangedAfterPlan(attribute, h, "the content of "+path.String())
}

// PartChangedAfterPlan is like [ChangedAfterPlan] for a part of an object, such as a line of a file.
func PartChangedAfterPlan(attribute string, h host.Host, part string) error {
	return diag.AttributeErrorf(attribute, "%s on host %s was changed after the plan was made. It is kept, and nothing was written. "+
		"Create a new plan with a refresh: it shows what the apply would replace", part, h.Name())
}
