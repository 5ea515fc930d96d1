package resourcetest

import (
	"os"
	"path/filepath"
	"strconv"
)

// Running returns the directories in /proc of the processes that run a program.
func Running(program string) []string {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return nil
	}
	var dirs []string
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == program {
			dirs = append(dirs, filepath.Dir(link))
		}
	}
	return dirs
}

// Process returns a process that runs the program, or nil.
func Process(program string) *os.Process {
	for _, dir := range Running(program) {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		// From here on, the handle refers to one process. Check that this process runs
		// the program.
		if exe, err := os.Readlink(dir + "/exe"); err == nil && exe == program {
			return p
		}
	}
	return nil
}
