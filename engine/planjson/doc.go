// Package planjson converts plans and states to the structs of terraform-json, like the
// decoded output of `show -json`, and results of queries, like that of `query -json`.
//
// Package acctest calls it for the checks of terraform-plugin-testing. The structs are
// made directly, without encoding JSON except for sensitive_values; numbers are
// json.Number, but float64 in the prior state of a plan, as terraform-plugin-testing
// decodes them.
//
// Invariants: values are unredacted, including sensitive ones, as in the output of the
// command. Results share nothing with the plan or the state; parts of one result may
// share values, so they must not be modified.
//
// Not included: the configuration and relevant attributes, which no check uses, results
// of conditions in states, those of objects and checks in destroy plans, and the time of
// the plan.
package planjson
