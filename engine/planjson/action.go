package planjson

import (
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// events are the names of events in JSON.
var events = strings.NewReplacer("before_", "Before", "after_", "After", "create", "Create", "update", "Update")

// invocations converts the actions that the changes of a plan trigger.
func invocations(all []*plans.ActionInvocation) []*tfjson.ActionInvocation {
	var out []*tfjson.ActionInvocation
	for _, i := range all {
		out = append(out, &tfjson.ActionInvocation{
			Address: i.Action.String(), Type: i.Action.Resource.Resource.Type, Name: i.Action.Resource.Resource.Name,
			ConfigValues: object(i.Config), ConfigSensitive: flags(i.Config, isSensitive), ConfigUnknown: flags(i.Config, isUnknown),
			ProviderName: i.Provider.Provider.String(),
			LifecycleActionTrigger: &tfjson.LifecycleActionTrigger{
				TriggeringResourceAddress: i.Trigger.String(), ActionTriggerEvent: events.Replace(i.Event),
				ActionTriggerBlockIndex: i.TriggerIndex, ActionsListIndex: i.ActionIndex,
			},
		})
	}
	return out
}
