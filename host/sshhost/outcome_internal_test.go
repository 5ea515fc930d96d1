package sshhost

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

// TestOutcomeUnknown checks that an error warns that the change may have taken effect, if the
// program on the host ended or stopped replying after it got the request.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	lost := remote.Lost("the host's shell ended")
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"shell":         {lost, true},
		"SFTP":          {&sftp.LostError{Err: lost}, true},
		"silent":        {remote.ErrSilent, true},
		"not sent":      {&shell.NotSentError{Err: lost}, false},
		"hook":          {&host.SourceError{Source: "before replace", Err: lost}, false},
		"no connection": {host.ErrUnreachable, false},
		"other":         {fs.ErrNotExist, false},
	} {
		err := outcomeUnknown(&host.Error{Op: "rename", Host: "web", Path: "/a", Err: tt.err})
		if strings.Contains(err.Error(), "may have taken effect") != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want an unknown outcome: %t", name, err, tt.want)
		}
	}
}
