// Package diag defines diagnostics, the messages for users: severity, summary,
// detail, and the path of the attribute.
//
// Packages such as configschema return errors with a [cty.Path] and without a
// severity; [FromError] converts errors to diagnostics. Diagnostics must not
// contain values that may be sensitive.
//
// [Printable] removes from a text the control characters that a terminal would interpret.
//
// Elsewhere: package internal/wire has the protocol form of a diagnostic.
package diag
