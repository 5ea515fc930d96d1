// Package lang implements the configuration language: decoding of bodies by a schema,
// references of expressions, functions, and marks of values.
//
//	ctx := lang.FunctionContext(lang.FunctionOptions{BaseDir: dir})
//	value, diags := lang.DecodeBody(body, schema, ctx)
//
// Package engine uses package lang for every block that it evaluates; engine/configs uses it for
// the references in replace_triggered_by.
//
// Invariants: a decoded value has the implied type of its schema. Diagnostics have a
// fixed order, so that equal inputs give equal text. The package has no state except
// for caches: of decoders by schema, and of functions.
//
// Elsewhere: package engine has the values that expressions refer to, and engine/configs has the
// structure of files.
package lang
