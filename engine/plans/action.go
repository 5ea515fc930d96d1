package plans

// Action is what is done with an object.
type Action rune

// The actions, with the sign that listings have for them.
const (
	NoOp             Action = 0
	Create           Action = '+'
	Read             Action = '←'
	Update           Action = '~'
	DeleteThenCreate Action = '∓'
	CreateThenDelete Action = '±'
	Delete           Action = '-'
	// Forget drops the object from state and leaves it where it is.
	Forget Action = '.'
	// Open is for ephemeral resources.
	Open Action = '⟃'
)

// IsReplace reports whether the object is deleted and created.
func (a Action) IsReplace() bool { return a == DeleteThenCreate || a == CreateThenDelete }

// String is the name that messages have for the action.
func (a Action) String() string {
	switch a {
	case NoOp:
		return "NoOp"
	case Create:
		return "Create"
	case Read:
		return "Read"
	case Update:
		return "Update"
	case DeleteThenCreate:
		return "DeleteThenCreate"
	case CreateThenDelete:
		return "CreateThenDelete"
	case Delete:
		return "Delete"
	case Forget:
		return "Forget"
	case Open:
		return "Open"
	default:
		return "Action(" + string(rune(a)) + ")"
	}
}

// ActionReason says why an action was chosen where that is not plain; the texts
// are those of the plan's JSON form.
type ActionReason string

// The reasons.
const (
	NoReason                      ActionReason = ""
	ReplaceBecauseTainted         ActionReason = "replace_because_tainted"
	ReplaceBecauseCannotUpdate    ActionReason = "replace_because_cannot_update"
	ReplaceByRequest              ActionReason = "replace_by_request"
	ReplaceByTriggers             ActionReason = "replace_by_triggers"
	DeleteBecauseNoResourceConfig ActionReason = "delete_because_no_resource_config"
	DeleteBecauseNoModule         ActionReason = "delete_because_no_module"
	DeleteBecauseWrongRepetition  ActionReason = "delete_because_wrong_repetition"
	DeleteBecauseCountIndex       ActionReason = "delete_because_count_index"
	DeleteBecauseEachKey          ActionReason = "delete_because_each_key"
	DeleteBecauseNoMoveTarget     ActionReason = "delete_because_no_move_target"
	ReadBecauseConfigUnknown      ActionReason = "read_because_config_unknown"
	ReadBecauseDependencyPending  ActionReason = "read_because_dependency_pending"
	ReadBecauseCheckNested        ActionReason = "read_because_check_nested"
)
