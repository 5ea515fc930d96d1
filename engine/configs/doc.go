// Package configs loads configuration files as a tree of modules with resources, data
// sources, providers, variables, outputs, checks and refactorings. It evaluates only
// constant expressions.
//
//	config, diags := configs.Load(configs.Directory("testdata/site"), ".", configs.Options{})
//
// [Load] reads a directory of a [Source] and the modules that it calls: source.go
// selects and parses files, module.go dispatches each block to its reader, and
// module_call.go has the checks across modules. Package engine evaluates the result;
// acctest loads a Config for each step.
//
// Invariants: a Config is immutable after it is loaded and may be shared between
// goroutines and runs. A construct that the engine does not support is an error that
// names it. Summaries of errors are those of Terraform or OpenTofu, as Options select: testdata/refused.txt
// has those of OpenTofu, and a test compares them with the output of its command.
//
// Elsewhere: the schema of a resource's body comes from the provider; package engine/lang
// has the expression language.
package configs
