// Package configs loads configuration files as a tree of modules with resources, data
// sources, provider configurations, variables, local values, outputs, actions, checks and
// refactorings. It evaluates only constant expressions.
//
//	config, diags := configs.Load(configs.Directory("testdata/site"), ".", configs.Options{})
//
// [Load] reads a module from a [Source] and the modules that it calls: source.go
// selects and parses files, module.go dispatches each block to its reader, and
// module_call.go has the checks across modules. Package engine evaluates the result;
// acctest loads a Config for each step.
//
// Invariants: a Config is immutable after it is loaded and may be shared between
// goroutines and runs. A construct that the engine does not support is an error that
// names it. Other errors have the summaries of Terraform or OpenTofu, as Options select,
// except errors about modules that call themselves or are nested too deeply.
// testdata/refused.txt has the summaries of OpenTofu, and a test compares them with the
// output of its command.
//
// Elsewhere: the schema of a resource's body comes from the provider; package engine/lang
// has the expression language.
package configs
