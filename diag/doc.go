// Package diag defines diagnostics, the messages for users: severity, summary,
// detail, and the path of the attribute.
//
// Packages below runtime return errors with a [cty.Path] and without a
// severity; [FromError] converts errors to diagnostics. Diagnostics never
// contain values that may be sensitive.
//
// Elsewhere: the protocol form of a diagnostic is internal/wire.
package diag
