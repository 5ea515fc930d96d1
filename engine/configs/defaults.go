package configs

import "github.com/hashicorp/hcl/v2/ext/typeexpr"

// TypeDefaults are the defaults of a variable's optional attributes.
type TypeDefaults = typeexpr.Defaults
