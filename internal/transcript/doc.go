// Package transcript has hosts whose programs answer as recorded real ones did.
//
// It is for tests of what talks to tools that cannot run where tests do: a service
// manager that wants to be the first process, a package manager of another
// distribution. The same test runs on the real system, when its transcript is made,
// and on the transcript ever after:
//
//	h := transcript.Host(t, "testdata/enable.transcript", transcript.Options{
//		Real:     local.New,
//		Looks:    func(args []string) bool { return args[0] == "systemctl" && args[1] == "show" },
//		Watch:    []string{"/etc/systemd/system"},
//		Versions: [][]string{{"systemctl", "--version"}},
//	})
//
// To record, run that test on the real system with TRANSCRIPT_RECORD=1. Those of the
// host local of a Debian root (resourcetest.Record) are recorded all at once, as root
// on Debian, by
//
//	TRANSCRIPT_RECORD=1 go test -run '^TestRecorded' ./resources/...
//
// which is due when the scripts or the order of calls of a resource change. The file
// that was there is replaced when the test passes, and kept when it fails. Its head
// says what the versions were. What was recorded on no system, because none was at
// hand, is written by hand in the same format and says so in its head.
//
// The format is a line for each thing, told by how it begins:
//
//	# a remark
//	file "/etc/motd" 0644       what is there at first, or after the call above;
//	: a line of it              a directory is dir, a link is link with its target
//	gone "/etc/nologin"         what is not there any more after the call above
//	$ "systemctl" "enable" "x"  a call that changes something, with its arguments
//	? "systemctl" "show" "x"    a call that looks
//	in "/srv"                   the directory that it runs in, if any
//	< a line of its standard input
//	> a line of its standard output
//	! a line of its standard error
//	= 1                         its exit code where that is not 0, with the signal
//
// Text that no line can show, or that has no newline at its end, is in double
// quotes, as Go writes it, right after the sign. A command that was not run by
// package tool has its arguments after a second sign, as $$ or ??.
//
// Invariants:
//
//   - A call that the transcript does not have fails the test, which says what it
//     was. So does a call that changes something and was never made.
//   - Changes are answered in the order in which the same call was recorded. Looks
//     are answered as at that time: as they were between the last change that was
//     made and the next, however often.
//   - What package edit runs to replace a file is not in the file: there it replaces
//     files as on hosts that run no programs.
//   - Standard input is in the file: a test gives no secret to a program.
//
// Elsewhere: whole systems in namespaces are internal/roottest.
package transcript
