// Package configs reads configuration files and says what they declare: a tree
// of modules with resources, data sources, providers, variables, outputs, checks
// and refactorings. It evaluates nothing but what has to be constant.
//
// Package engine evaluates it. Files may be in memory, since tests mostly are.
//
// Invariants: a Config is never changed after it was loaded and may be shared
// between goroutines and runs. A construct that the engine does not support is
// an error that names it, never silently ignored.
//
// Elsewhere: which schema a resource's body follows is the provider's say; the
// language itself (functions, references) is engine/lang.
package configs
