package wire

// WithoutDirect runs f with go-cty's own constructors and accessors only. It is
// for tests that are not parallel: those that are wait until they end.
func WithoutDirect(f func()) {
	was := direct
	direct = false
	defer func() { direct = was }()
	f()
}

// Direct says whether go-cty's representation is the one that is known.
func Direct() bool { return direct }
