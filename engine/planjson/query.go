package planjson

import (
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/engine"
)

// Query returns the objects that a query found and the summary of each list block, as
// the messages of query -json have them.
func Query(results []engine.QueryResult) ([]tfjson.ListResourceFoundData, []tfjson.ListCompleteData) {
	var found []tfjson.ListResourceFoundData
	complete := make([]tfjson.ListCompleteData, 0, len(results))
	for _, r := range results {
		address, typeName := r.Addr.String(), r.Addr.Resource.Resource.Type
		for _, o := range r.Objects {
			found = append(found, tfjson.ListResourceFoundData{
				Address: address, ResourceType: typeName, DisplayName: o.DisplayName,
				Identity: object(o.Identity), IdentityVersion: r.IdentityVersion, ResourceObject: object(o.Object),
			})
		}
		complete = append(complete, tfjson.ListCompleteData{Address: address, ResourceType: typeName, Total: len(r.Objects)})
	}
	return found, complete
}
