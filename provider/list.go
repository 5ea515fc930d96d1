package provider

import (
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateListResourceConfigRequest asks whether a configuration, perhaps
// partly unknown, is lawful. Limit and IncludeResourceObject are null where the
// configuration leaves them unset.
type ValidateListResourceConfigRequest struct {
	TypeName              string
	Config                cty.Value
	IncludeResourceObject cty.Value
	Limit                 cty.Value
}

// ValidateListResourceConfigResponse has the messages.
type ValidateListResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ListResourceRequest asks for existing objects, at most Limit of them; a Limit
// of zero or less is no bound.
type ListResourceRequest struct {
	TypeName              string
	Config                cty.Value
	IncludeResourceObject bool
	Limit                 int64
}

// ListResourceResponse has the results as they are found. Who receives it must
// range over Results, and may stop early. Diagnostics are those that prevent a
// search altogether; Results may then be nil.
type ListResourceResponse struct {
	Results     iter.Seq[ListResult]
	Diagnostics diag.Diagnostics
}

// ListResult is one object that was found.
type ListResult struct {
	DisplayName string
	Identity    cty.Value
	// ResourceObject is NilVal unless it was asked for.
	ResourceObject cty.Value
	Diagnostics    diag.Diagnostics
}
