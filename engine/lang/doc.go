// Package lang is the language of configurations: what a block's body means
// under a schema, what an expression refers to, the functions, and the marks
// that values carry.
//
// Package engine calls it for every block that it evaluates; engine/configs for
// what has to be constant.
//
// Invariants: what is decoded has the implied type of its schema; messages come in a
// fixed order, so equal inputs give equal text; nothing here keeps
// state, except for what is derived from a schema once.
//
// Elsewhere: which names exist and what their values are is package engine's
// say, the shape of files is engine/configs.
package lang
