package zone_test

import (
	"github.com/posixform/terraform-provider-posix/examples/authoring/zone"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// [powers

var (
	_ runtime.Defaulter                                                         = (*zone.Record)(nil)
	_ runtime.Constrainer                                                       = (*zone.Record)(nil)
	_ runtime.InputValidator[*zone.Zone]                                        = (*zone.Record)(nil)
	_ runtime.InputEquivalencer[zone.Record]                                    = (*zone.Record)(nil)
	_ runtime.ResourcePlanModifier[zone.Record, *zone.RecordOutput, *zone.Zone] = (*zone.Record)(nil)
	_ runtime.Identifier[zone.RecordID, *zone.RecordOutput, *zone.Zone]         = (*zone.Record)(nil)
	_ runtime.Migrator                                                          = (*zone.Record)(nil)
	_ runtime.EphemeralCloser[zone.Grant, *zone.Zone]                           = (*zone.Key)(nil)
)

// powers]
