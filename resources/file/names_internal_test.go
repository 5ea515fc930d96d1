package file

import (
	"path"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/host"
)

// FuzzBackupPath checks that a backup is in the directory of its file, that its name has at
// most 255 bytes, is UTF-8 if the name of the file is, and is not that of a temporary file, and
// that its path is unique for each file, time and attempt.
func FuzzBackupPath(f *testing.F) {
	for _, name := range []string{"o", ".o", "o~", strings.Repeat("x", 255), "x" + strings.Repeat("é", 127), "a\nb", "-rf", ".x.posix-tmp"} {
		f.Add(name)
	}
	at := time.Date(2026, 2, 3, 23, 4, 5, 6, time.FixedZone("", 3600))
	f.Fuzz(func(t *testing.T, name string) {
		file := "/d/" + name
		if strings.Contains(name, "/") || len(name) > 255 || host.CheckTarget(file) != nil {
			return
		}
		got := backupPath(file, at, 0)
		if host.CheckTarget(got) != nil || path.Dir(got) != "/d" || len(path.Base(got)) > 255 || utf8.ValidString(name) != utf8.ValidString(got) && utf8.ValidString(name) {
			t.Errorf("the backup of %q is %q, want a valid name in /d", file, got)
		}
		if base := path.Base(got); base[0] != '.' || !strings.HasSuffix(base, ".backup-20260203T220405Z~") {
			t.Errorf("the backup of %q is named %q, want a hidden file with the time", file, base)
		}
		for _, other := range []string{backupPath(file, at, 1), backupPath(file, at.Add(time.Second), 0), backupPath(file+"y", at, 0), backupPath("/d/y"+name, at, 0)} {
			if other == got {
				t.Errorf("two backups have the path %q (file %q)", other, file)
			}
		}
	})
}

// FuzzExpand checks that %% is replaced with a percent sign, and %s with the path.
func FuzzExpand(f *testing.F) {
	for _, arg := range []string{"", "%", "%%s", "100%", "%s%d"} {
		f.Add(arg, "/tmp/%s")
	}
	f.Fuzz(func(t *testing.T, arg, temp string) {
		escaped := strings.ReplaceAll(arg, "%", "%%")
		if got, n, err := expand(escaped, temp); got != arg || n != 0 || err != nil {
			t.Errorf("expand(%q, %q) = %q, %d, %v, want %q, 0, nil", escaped, temp, got, n, err, arg)
		}
		if got, n, err := expand(escaped+"%s"+escaped, temp); got != arg+temp+arg || n != 1 || err != nil {
			t.Errorf("expand(%q, %q) = %q, %d, %v, want %q, 1, nil", escaped+"%s"+escaped, temp, got, n, err, arg+temp+arg)
		}
	})
}
