package shellrpc

import (
	"strings"
	"sync"
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
	if again := p.read(Reply{}, false); again != nil || waiting.found.err == nil || !strings.Contains(waiting.found.err.Error(), "caused a panic") {
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
		if err == nil || !strings.Contains(err.Error(), "caused a panic") {
			t.Errorf("got error %v, want one that reports the panic", err)
		}
	}
}

// TestResolveDuringReset checks that an account of a directory service is found, and that an ID without a name has an
// entry, while another goroutine loads the local files.
func TestResolveDuringReset(t *testing.T) {
	t.Parallel()
	d := &database[host.User]{name: "passwd", entry: userEntry, unnamed: func(id uint32) host.User { return host.User{UID: id} }}
	load := func() error { return d.reset("bob:x:1000:100::/home/bob:/bin/sh\n") }
	if err := load(); err != nil {
		t.Fatal(err)
	}
	var loads sync.WaitGroup
	var err error
	done := make(chan struct{})
	loads.Go(func() {
		for err == nil {
			select {
			case <-done:
				return
			default:
				err = load()
			}
		}
	})
	for range 1000 {
		for key, want := range map[string]string{"al": "al", "1001": "al", "1000": "bob", "1002": ""} {
			if user, ok := d.resolve("al:x:1001:100::/home/al:/bin/sh\n", key); !ok || user.Name != want {
				t.Errorf("%s is %+v, found %t, want the name %q", key, user, ok, want)
			}
		}
	}
	close(done)
	loads.Wait()
	if err != nil {
		t.Error(err)
	}
}
