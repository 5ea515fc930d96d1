// Package transcript has hosts that replay the recorded results of real programs.
//
// It is for tests of tools that cannot run on the host of the tests, such as a package manager
// of a different distribution, and for the fast tier, in which no root runs. The same test runs on
// a real host to record its transcript, and on the transcript afterwards:
//
//	h := transcript.Host(t, "testdata/enable.transcript", transcript.Options{
//		Real:     local.New,
//		ReadOnly: func(args []string) bool { return args[0] == "systemctl" && args[1] == "show" },
//		Watch:    []string{"/etc/systemd/system"},
//		Versions: [][]string{{"systemctl", "--version"}},
//	})
//
// To record, run that test on a real host with TRANSCRIPT_RECORD=1. Transcripts of
// the local host of a Debian root (resourcetest.Record) are recorded all at once, as
// root on Debian, by
//
//	TRANSCRIPT_RECORD=1 go test -run '^TestRecorded' ./resources/...
//
// Record them again when the scripts or the order of calls of a resource change. An
// existing file is replaced when the test passes, and kept when the test fails. The head of
// the file has the versions. A transcript that cannot be recorded is written by hand in the same format,
// with a note in its head.
//
// The format has one item per line, identified by its prefix:
//
//	# a comment
//	file "/etc/motd" 0644       a file, initially or after the call above;
//	: a line of it              a directory is dir, a link is link with its target
//	gone "/etc/nologin"         a file that is removed by the call above
//	$ "systemctl" "enable" "x"  a call that makes a change, with its arguments
//	? "systemctl" "show" "x"    a read-only call
//	in "/srv"                   its working directory, if any
//	< a line of its standard input
//	> a line of its standard output
//	! a line of its standard error
//	= 1                         its exit code if it is not 0, and the signal, if any
//
// Text that a line cannot represent, or without a newline at its end, is in double
// quotes after the prefix, as Go quotes it. A command that was not run by package
// remotecmd has its arguments after a doubled prefix, $$ or ??.
//
// Invariants:
//
//   - A call that is not in the transcript fails the test, and so does a recorded
//     change that was never made.
//   - Equal calls that make changes are replayed in the order in which they were recorded.
//     Read-only calls are replayed as recorded between the last change that was made and the
//     next, however often they are called.
//   - The script by which package textedit replaces a file is not in the transcript: on a
//     replaying host, textedit replaces files as on hosts that run no programs.
//   - Detached waits and the query for the UID are not in the transcript: a replaying host
//     does not wait, and its user is root.
//   - Standard input is in the file: tests must not pass secrets to programs.
//
// Elsewhere: package internal/roottest starts complete Debian systems in namespaces.
package transcript
