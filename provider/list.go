package provider

import (
	"iter"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateListResourceConfigRequest validates a configuration, which may
// contain unknown values. Limit and IncludeResourceObject are null if the
// configuration does not set them.
type ValidateListResourceConfigRequest struct {
	TypeName              string
	Config                cty.Value
	IncludeResourceObject cty.Value
	Limit                 cty.Value
}

// ValidateListResourceConfigResponse has the diagnostics.
type ValidateListResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ListResourceRequest lists existing objects, at most Limit of them. A Limit of
// zero or less means no limit.
type ListResourceRequest struct {
	TypeName              string
	Config                cty.Value
	IncludeResourceObject bool
	Limit                 int64
}

// ListResourceResponse has the results as they are found. The receiver must
// range over Results, and may stop early. Diagnostics has the errors that
// prevent the listing; Results may then be nil.
type ListResourceResponse struct {
	Results     iter.Seq[ListResult]
	Diagnostics diag.Diagnostics
}

// ListResult is one existing object.
type ListResult struct {
	DisplayName string
	Identity    cty.Value
	// ResourceObject is NilVal unless it was requested.
	ResourceObject cty.Value
	Diagnostics    diag.Diagnostics
}
