package service

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ unit, short string }{
		"nginx":             {"nginx.service", "nginx"},
		"nginx.service":     {"nginx.service", "nginx"},
		"getty@tty1":        {"getty@tty1.service", "getty@tty1"},
		"fstrim.timer":      {"fstrim.timer", "fstrim.timer"},
		"php8.2-fpm":        {"php8.2-fpm.service", "php8.2-fpm"},
		"net.lo":            {"net.lo.service", "net.lo"},
		`dev-a\x2db.swap`:   {`dev-a\x2db.swap`, `dev-a\x2db.swap`},
		"a.timer.service":   {"a.timer.service", "a.timer.service"},
		"multi-user.target": {"multi-user.target", "multi-user.target"},
	} {
		var n Name
		if err := n.UnmarshalText([]byte(name)); err != nil || n.unit() != want.unit || n.short() != want.short {
			t.Errorf("%s: unit %s, short %s (%v), want %s and %s", name, n.unit(), n.short(), err, want.unit, want.short)
		}
	}
}

// TestNameLength checks that the limit applies to the name of the unit, even if the name of the service has no suffix.
func TestNameLength(t *testing.T) {
	t.Parallel()
	for suffix, longest := range map[string]int{"": 247, ".service": 247, ".timer": 249} {
		stem := strings.Repeat("a", longest)
		if err := checkName(stem + suffix); err != nil {
			t.Errorf("a name of %d characters and the suffix %q is rejected: %v", longest, suffix, err)
		}
		if checkName("a"+stem+suffix) == nil {
			t.Errorf("a name of %d characters and the suffix %q is accepted, want an error", longest+1, suffix)
		}
	}
}

// TestUnitNames checks that the name of a unit must be one that systemd accepts. The name of a service
// may have a plus sign, which OpenRC accepts.
func TestUnitNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"app.service": true, "worker@.service": true, `c\x2b\x2b.service`: true, "c++.service": false, "app": false, ".service": false, "@.service": false, "a b.service": false,
	} {
		var n UnitName
		if err := n.UnmarshalText([]byte(name)); (err == nil) != want {
			t.Errorf("%s: the error is %v, want the name to be accepted: %t", name, err, want)
		}
	}
	if err := checkName("c++"); err != nil {
		t.Error(err)
	}
}

// FuzzName checks that accepted names are names of units, and never options, paths or
// patterns.
func FuzzName(f *testing.F) {
	for _, name := range []string{"nginx", "a.service", "getty@tty1", "@", "-x", "a/b", "*", "a.timer.service", "é"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n Name
		if n.UnmarshalText([]byte(text)) != nil {
			return
		}
		if strings.HasPrefix(text, "-") || strings.ContainsAny(text, "/*?[]$`\"' \n:;") || len(n.unit()) > maxUnit || unitType(n.unit()) == "" {
			t.Errorf("invalid name %q is accepted, as the unit %q", text, n.unit())
		}
		id, err := (*Service)(nil).ParseImportID("web:" + text)
		if err != nil || id.Name != n.short() || Name(id.Name).unit() != n.unit() {
			t.Errorf("%q is imported as %q, with the unit %q (%v), want %q and %q", text, id.Name, Name(id.Name).unit(), err, n.short(), n.unit())
		}
	})
}

func TestParseSystemd(t *testing.T) {
	t.Parallel()
	const loaded = "Id=x.service\nLoadState=loaded\nUnitFileState=disabled\nNeedDaemonReload=no\nResult=success\nType=simple\nRemainAfterExit=no\nCanReload=no\n"
	for name, tt := range map[string]struct {
		text string
		want func(s state) bool
	}{
		"runs": {loaded + "ActiveState=active\nSubState=running\n", func(s state) bool {
			return s.exists && s.running && !s.changing && !s.ready && s.status == "active (running)"
		}},
		"starts":        {loaded + "ActiveState=activating\nSubState=start\n", func(s state) bool { return s.running && s.changing && !s.restarting }},
		"starts before": {loaded + "ActiveState=activating\nSubState=start-pre\n", func(s state) bool { return s.running && s.changing }},
		"crashes":       {loaded + "ActiveState=activating\nSubState=auto-restart\n", func(s state) bool { return !s.running && s.restarting && s.failed && !s.changing }},
		"stops":         {loaded + "ActiveState=deactivating\nSubState=stop-sigterm\n", func(s state) bool { return !s.running && s.changing }},
		"reloads":       {loaded + "ActiveState=reloading\nSubState=reload\n", func(s state) bool { return s.running && s.changing }},
		"failed":        {strings.Replace(loaded, "success", "exit-code", 1) + "ActiveState=failed\nSubState=failed\nExecMainStatus=3\n", func(s state) bool { return !s.running && s.failed && s.result == "exit-code, status 3" }},
		"works":         {strings.Replace(loaded, "simple", "oneshot", 1) + "ActiveState=activating\nSubState=start\n", func(s state) bool { return s.running && s.oneshot && !s.changing }},
		"has worked":    {strings.NewReplacer("simple", "oneshot", "Exit=no", "Exit=yes").Replace(loaded) + "ActiveState=active\nSubState=exited\n", func(s state) bool { return s.running && !s.oneshot && s.ready }},
		"missing":       {"Id=x.service\nLoadState=not-found\nActiveState=inactive\nSubState=dead\n", func(s state) bool { return !s.exists }},
		"masked":        {"Id=x.service\nLoadState=masked\nUnitFileState=masked\nActiveState=active\nSubState=running\n", func(s state) bool { return s.exists && s.masked && s.running && !s.enabled }},
		"until a boot":  {"Id=x.service\nLoadState=loaded\nUnitFileState=enabled-runtime\n", func(s state) bool { return !s.enabled }},
		"offline": {"Booted=no\nLoadState=loaded\nUnitFileState=enabled\n", func(s state) bool {
			return s.exists && s.enabled && !s.booted && s.status == "" && s.name == "x.service"
		}},
		"nothing": {"", func(s state) bool { return !s.exists }},
	} {
		if s := parseSystemd("x.service", tt.text); !tt.want(s) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// FuzzList checks that lists are sorted and have unique names that can be managed.
func FuzzList(f *testing.F) {
	f.Add("cron.service enabled enabled\ngetty@.service static -\nsshd.service alias -\n\nId=ssh.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\nSubState=running\n\nId=gone.service\nLoadState=not-found\n")
	f.Add("\nId=a.service\nLoadState=loaded\n")
	f.Add("a.service static\na static\n")
	f.Add("Service=a\nRunlevel=default\nStatus=0\nService=b\nService=a\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range [][]Info{listSystemd(text), listScripts(text, parseOpenRC)} {
			for i, info := range found {
				if checkName(info.Name) != nil || i > 0 && found[i-1].Name >= info.Name {
					t.Errorf("%q: the list has the invalid, unsorted or repeated name %q at index %d", text, info.Name, i)
				}
			}
		}
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	brief := func(found []Info) (all []string) {
		for _, i := range found {
			text := i.Name
			for word, is := range map[string]bool{" enabled": i.Enabled} {
				if is {
					text += word
				}
			}
			if is(i.Running, true) {
				text += " runs"
			}
			if i.Masked {
				text += " masked"
			}
			if i.Status != nil {
				text += ", " + *i.Status
			}
			all = append(all, text)
		}
		return all
	}
	const seed = "z.service masked -\ncron.service enabled enabled\nidle.service disabled enabled\ngetty@.service static -\nsshd.service alias -\n\n" +
		"Id=ssh.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\nSubState=running\n\nId=gone.service\nLoadState=not-found\n\nId=cron.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=failed\nSubState=failed\n"
	if diff := cmp.Diff([]string{"cron enabled, failed (failed)", "idle", "ssh enabled runs, active (running)", "z masked"}, brief(listSystemd(seed))); diff != "" {
		t.Errorf("the services of systemd (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a enabled runs, started", "b", "c, crashed", "d runs, starting"},
		brief(listScripts("Service=c\nStatus=32\nService=a\nRunlevel=default\nStatus=0\nService=b\nService=d\nStatus=8\n", parseOpenRC))); diff != "" {
		t.Errorf("the services of OpenRC (-want +got):\n%s", diff)
	}
}

func TestParseVerify(t *testing.T) {
	t.Parallel()
	refused, ignored := parseVerify("/tmp/d\n/tmp/d/app.service:3: Unknown key 'Colour' in section [Service], ignoring.\nother.service: Something else\n"+
		"app.service: Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing.\nUnit app.service has a bad unit file setting.\n"+
		"app.service: Failed to create app.service/start: Unit later.service not found.\napp.service: Command /x is not executable: No such file or directory\n", "app.service", "app.service")
	if len(refused) != 2 || len(ignored) != 3 || ignored[0] != "app.service:3: Unknown key 'Colour' in section [Service], ignoring." {
		t.Errorf("refused for %q, ignored %q, want 2 and 3 lines, and Colour in the first ignored one", refused, ignored)
	}
	if refused, ignored := parseVerify("", "app.service", "app.service"); refused != nil || ignored != nil {
		t.Errorf("without systemd-analyze: refused for %q, ignored %q, want none", refused, ignored)
	}
	const why = ": Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing.\n"
	for name, tt := range map[string]struct {
		output, unit, relative string
		refused, ignored       int
	}{
		"template":           {"worker@i.service" + why + "Unit worker@i.service has a bad unit file setting.\n", "worker@.service", "worker@.service", 2, 0},
		"older systemd":      {"app.service: Failed to create app.service/start: Unit app.service has a bad unit file setting.\n", "app.service", "app.service", 1, 0},
		"instance":           {"worker@a.service" + why + "worker@b.service" + why, "worker@a.service", "worker@a.service", 1, 0},
		"drop-in":            {"app.service" + why + "Unit app.service has a bad unit file setting.\n", "app.service", "app.service.d/10.conf", 2, 0},
		"drop-in of alias":   {"ssh.service" + why + "Unit ssh.service has a bad unit file setting.\n", "sshd.service", "sshd.service.d/10.conf", 2, 0},
		"wants a broken one": {"other.service" + why + "other.service: Cannot add dependency job, ignoring: Unit other.service has a bad unit file setting.\n", "app.service", "app.service", 0, 0},
		"requires a broken one": {
			"other.service" + why + "app.service: Failed to create app.service/start: Unit other.service has a bad unit file setting.\n", "app.service", "app.service", 0, 1,
		},
		"drop-in of alias, older systemd": {
			"ssh.service" + why + "ssh.service: Failed to create ssh.service/start: Unit ssh.service has a bad unit file setting.\n", "sshd.service", "sshd.service.d/10.conf", 2, 0,
		},
	} {
		if refused, ignored := parseVerify("/tmp/d\n"+tt.output, tt.unit, tt.relative); len(refused) != tt.refused || len(ignored) != tt.ignored {
			t.Errorf("%s: refused for %q, ignored %q, want %d and %d lines", name, refused, ignored, tt.refused, tt.ignored)
		}
	}
}

// TestUnitControlCharacters checks that the control characters that systemd rejects are errors, and only these.
func TestUnitControlCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"a\tb": true, "a\u0085b": true, "a\x01b": false, "a\x7fb": false} {
		if err := checkUnitText("[Unit]\nDescription=" + text + "\n"); (err == nil) != want {
			t.Errorf("Description=%q: error %v, want it accepted: %t", text, err, want)
		}
	}
}

// FuzzUnitText checks that accepted text stays valid with more lines, and has a section.
func FuzzUnitText(f *testing.F) {
	for _, text := range []string{"[Service]\nExecStart=/bin/true\n", "[A]\nb=c \\\n# d\n e\n", "a=b\n", "[", "[A]\n=b", "[A]\r\nb=\r\n", "; x\n\n[A]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if checkUnitText(text) != nil {
			return
		}
		more := strings.TrimRight(text, "\\\r\n") + "\n# a remark\n[More]\nOf=it\n"
		if err := checkUnitText(more); err != nil && len(more) <= maxUnitText && !strings.HasSuffix(strings.TrimSpace(text), `\`) {
			t.Errorf("%q is accepted, but %q is rejected: %v", text, more, err)
		}
		if !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "[") }) {
			t.Errorf("%q is accepted without a section, want an error", text)
		}
	})
}
