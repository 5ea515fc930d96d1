//go:build unix

package perlfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// TestSync checks that a change of a name is permanent when it is reported: the directory is synced
// after the file. A module that Perl loads records what the program syncs.
func TestSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	if err := os.WriteFile(filepath.Join(dir, "Record.pm"), []byte(`package Record;
use IO::Handle;
no warnings;
*IO::Handle::sync = sub {
	open my $record, '>>', $ENV{RECORD} or die;
	syswrite $record, (-d $_[0] ? 'directory ' : 'file ');
	return 1;
};
1;
`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStarter(t)
	s.Env = []string{"PERL5LIB=" + dir, "PERL5OPT=-MRecord", "RECORD=" + record}
	h := newTestHost(t, s)
	if _, err := h.write(t, dir+"/first", "", host.WriteOptions{}); err != nil { // starts the process
		t.Fatal(err)
	}
	path := dir + "/path"
	for _, tt := range []struct {
		name string
		do   func() error
		want string
	}{
		{"create", func() error { _, err := h.write(t, path, "new", host.WriteOptions{Exclusive: true}); return err }, "file directory"},
		{"replace", func() error { _, err := h.write(t, path, "other", host.WriteOptions{}); return err }, "file directory"},
		{"without sync", func() error { _, err := h.write(t, path, "third", host.WriteOptions{NoSync: true}); return err }, ""},
		{"link", func() error { _, err := h.ReplaceSymlink(t.Context(), "target", path+"2", nil); return err }, "directory"},
	} {
		if err := os.WriteFile(record, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := tt.do()
		got, readErr := os.ReadFile(record)
		if err != nil || readErr != nil || strings.TrimSpace(string(got)) != tt.want {
			t.Errorf("%s: synced %q, want %q; error of the operation %v, of the record %v", tt.name, got, tt.want, err, readErr)
		}
	}
}
