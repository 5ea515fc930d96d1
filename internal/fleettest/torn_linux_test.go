package fleettest_test

import (
	"strings"
	"testing"
)

// TestTorn checks which objects of an interrupted apply count as torn.
func TestTorn(t *testing.T) {
	t.Parallel()
	const own, shared = "srv/mixed/r00.txt", "etc/passwd"
	for name, tt := range map[string]struct {
		path, before, during, after string // empty: there is no object
		torn                        bool
	}{
		"old":               {own, "old", "old", "new", false},
		"new":               {own, "old", "new", "new", false},
		"created":           {own, "", "new", "new", false},
		"half":              {own, "old", "ne", "new", true},
		"missing":           {own, "old", "", "new", true},
		"empty":             {own, "", "-rw------- 0:0", "new", true},
		"new directory":     {"srv/mixed/r00.d", "", "drwx------ 0:4", "drwxrwx--- 0:4", false},
		"old directory":     {"srv/mixed/r00.d", "drwx------ 0:0", "drwx------ 0:4", "drwxrwx--- 0:4", true},
		"temporary":         {"srv/mixed/.r00.txt.posix-tmp-1", "", "ne", "", false},
		"some shared lines": {shared, "a:1\nb:2", "a:1\nb:2\nc:3", "a:1\nb:3\nc:3", false},
		"half a line":       {shared, "a:1\nb:2", "a:1\nb:", "a:1\nb:3", true},
		"another UID":       {shared, "", "u:x:1002:100:", "u:x:1004:100:", false},
		"another GID":       {shared, "", "u:x:1002:100:", "u:x:1002:101:", true},
		"running dpkg":      {packageList, "", "iU mixed-r00 1.1", "hi mixed-r00 1.1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := func(text string) map[string]string {
				if text == "" {
					return nil
				}
				return map[string]string{tt.path: text}
			}
			problems := torn(snapshot(tt.before), snapshot(tt.during), snapshot(tt.after))
			if (len(problems) > 0) != tt.torn {
				t.Errorf("got problems %q, want problems: %t", strings.Join(problems, "\n"), tt.torn)
			}
		})
	}
}
