package demo

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run ../../cmd/describe Block Page PageOutput PageID Sheet SheetOutput Badge BadgeOutput BadgeID PageQuery PageResult Meta Session SessionOutput PageSearch Stamp Cabinet

// New is the provider demo, whose notebooks are folders of this machine.
func New() (provider.Interface, error) { return NewIn(disk{}) }

// NewIn is the provider demo with its notebooks in storage.
func NewIn(storage Storage) (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "demo",
		Config: runtime.MakeConfig(func(_ context.Context, b *Block) (*Notebook, error) {
			return configure(storage, b)
		}),
		Meta: runtime.MakeMeta[Meta](),
		Resources: map[string]runtime.ResourceRegistration{
			"page":  runtime.MakeResource[Page, *PageOutput, *Notebook](),
			"sheet": runtime.MakeResource[Sheet, *SheetOutput, *Notebook](),
			"badge": runtime.MakeResource[Badge, *BadgeOutput, *Notebook](),
		},
		DataSources: map[string]runtime.DataSourceRegistration{
			"page": runtime.MakeDataSource[PageQuery, *PageResult, *Notebook](),
		},
		EphemeralResources: map[string]runtime.EphemeralRegistration{
			"session": runtime.MakeEphemeral[Session, *SessionOutput, Ticket, *Notebook](),
		},
		Functions: map[string]runtime.FunctionRegistration{
			"shout": runtime.MakeFunc(Shout, runtime.FuncSpec{
				Summary:    "Writes a text in capitals.",
				Parameters: []runtime.Param{{Name: "text", Description: "What to write."}},
			}),
			"join": runtime.MakeFunc(Join, runtime.FuncSpec{
				Summary: "Puts words together.",
				Parameters: []runtime.Param{
					{Name: "separator", Description: "What stands between; a blank where it is null."},
					{Name: "words", Description: "The words."},
				},
			}),
			"certain": runtime.MakeFunc(Certain, runtime.FuncSpec{
				Summary:    "Reports whether a value is known already.",
				Parameters: []runtime.Param{{Name: "value", Description: "The value."}},
			}),
			"outline": runtime.MakeFunc(Outline, runtime.FuncSpec{
				Summary:    "Lists the headings of sections.",
				Parameters: []runtime.Param{{Name: "sections", Description: "The sections of a page."}},
			}),
		},
		Lists: map[string]runtime.ListRegistration{
			"page": runtime.MakeLister[PageSearch, *PageOutput, *Notebook](),
		},
		Actions: map[string]runtime.ActionRegistration{
			"stamp": runtime.MakeAction[Stamp, *Notebook](),
		},
		StateStores: map[string]runtime.StateStoreRegistration{
			"cabinet": runtime.MakeStateStore[Cabinet, *Notebook](),
		},
	})
}
