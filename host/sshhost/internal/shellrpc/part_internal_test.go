package shellrpc

import (
	"strings"
	"testing"
)

// TestFaultFailsCalls checks that a panic while a reply is parsed fails the calls that wait for
// it, not the process.
func TestFaultFailsCalls(t *testing.T) {
	t.Parallel()
	p := &part{topic: &topic{read: func([]string, Reply) []found { panic("index out of range") }}, calls: map[string][]*call{}}
	waiting := &call{subject: "/etc/motd"}
	p.add(waiting.subject, waiting)
	if again := p.read(Reply{}, false); again != nil || waiting.found.err == nil || !strings.Contains(waiting.found.err.Error(), "made the client panic") {
		t.Errorf("got error %v and %d parts to repeat", waiting.found.err, len(again))
	}
}
