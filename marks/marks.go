package marks

// Mark is a property of a value that all values derived from it inherit.
type Mark string

const (
	// Sensitive values are redacted in output.
	Sensitive Mark = "sensitive"
	// Ephemeral values exist during one run and are never stored.
	Ephemeral Mark = "ephemeral"
)
