package shellrpc

import (
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// TestFaultFailsCalls checks that a panic while a reply is parsed fails the calls that wait for
// it, not the process.
func TestFaultFailsCalls(t *testing.T) {
	t.Parallel()
	p := &part{topic: &topic{read: func([]string, Reply) []found { panic("index out of range") }}, calls: map[string][]*call{}}
	waiting := &call{subject: "/etc/motd"}
	p.add(waiting.subject, waiting)
	if again := p.read(Reply{}, false); again != nil || waiting.found.err == nil || !strings.Contains(waiting.found.err.Error(), "made the client panic") {
		t.Errorf("got error %v and %d parts to repeat, want the panic and 0", waiting.found.err, len(again))
	}
}

// TestFaultInOutput checks that a panic while the output of the shell is split, or a file of
// accounts is parsed, does not end the process.
func TestFaultInOutput(t *testing.T) {
	t.Parallel()
	unread := &exchange{Process: &shell.Process{}} // without an output
	_, err := unread.blocks("token", 1)
	d := &database[host.User]{name: "passwd", entry: func([]string) (host.User, string, uint32, bool) { panic("a mistake") }}
	for _, err := range []error{err, d.reset("root:x:0:0::/root:/bin/sh\n")} {
		if err == nil || !strings.Contains(err.Error(), "made the client panic") {
			t.Errorf("got error %v", err)
		}
	}
}
