package states

// State is everything that is remembered.
type State struct {
	// Modules are keyed by the text of their address.
	Modules map[string]*Module
}

// Module is what is remembered of one module instance.
type Module struct{}
