// Package accspeed measures how long an acceptance test of three steps takes,
// create, update and import, on the engine in this process and on the command
// line, with the same test case in the same run.
//
// It is called by the command of the same name. The engines take turns, so that
// both have the machine as it is; each test begins with a folder of its own and
// is checked as any acceptance test is.
//
// Elsewhere: the resources are those of package sidebyside and of examples/note.
package accspeed
