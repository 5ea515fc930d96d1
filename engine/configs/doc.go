// Package configs reads configuration files and says what they declare: a tree
// of modules with resources, data sources, providers, variables, outputs, checks
// and refactorings. It evaluates nothing but what has to be constant.
//
// [Load] reads a folder of a [Source] and the folders that it calls: files.go
// picks and parses files, module.go gives each block to its reader, one file a
// kind of block, and tree.go checks what only shows between modules. Package
// engine evaluates the result, acctest loads it for each step.
//
// Invariants: a Config is never changed after it was loaded and may be shared
// between goroutines and runs. A construct that the engine does not support is
// an error that names it and has [Unsupported] as its Extra, never silently
// ignored. Summaries of errors are those of the command: testdata/refused.txt
// has them, and a test asks the command itself.
//
// Elsewhere: which schema a resource's body follows is the provider's say; the
// language itself (functions, references) is engine/lang.
package configs
