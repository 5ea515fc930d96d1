package wire

// WithoutDirect runs f with only the constructors and accessors of go-cty. Tests that
// call it must not run in parallel.
func WithoutDirect(f func()) {
	was := direct
	direct = false
	defer func() { direct = was }()
	f()
}

// Direct reports whether go-cty has the expected representation.
func Direct() bool { return direct }
