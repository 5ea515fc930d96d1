package actions

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRebootScript checks which program reboots a host without systemd. PATH has only uname
// and programs that print their name and arguments.
func TestRebootScript(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kernel   string
		programs []string
		want     string
	}{
		"Linux":                 {kernel: "Linux", programs: []string{"reboot", "shutdown"}, want: "reboot \n"},
		"Linux, without reboot": {kernel: "Linux", programs: []string{"shutdown"}, want: "shutdown -r now\n"},
		"FreeBSD":               {kernel: "FreeBSD", programs: []string{"reboot", "shutdown"}, want: "shutdown -r now\n"},
	} {
		t.Run(name, func(t *testing.T) { // not parallel: a process of a parallel test could inherit a program that is open for writing
			dir := t.TempDir()
			add := func(name, script string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			add("uname", "echo "+tt.kernel)
			for _, program := range tt.programs {
				add(program, "echo "+program+` "$*"`)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", rebootScript)
			cmd.Env = []string{"PATH=" + dir}
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != tt.want {
				t.Errorf("the script runs %q (%v), want %q", out, err, tt.want)
			}
		})
	}
}
