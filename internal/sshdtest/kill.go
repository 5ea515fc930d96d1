package sshdtest

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// killAll kills sshd and its child processes. In a sandbox, sshd is the first
// process of its PID namespace, so all others end with it. Otherwise it finds
// them by parent; daemonised processes remain.
func (s *Server) killAll() {
	doomed := []int{s.cmd.Process.Pid}
	if !s.sandboxed {
		doomed = append(doomed, descendants(s.cmd.Process.Pid)...)
	}
	for _, pid := range doomed {
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // it may have ended
		}
	}
}

// descendants returns the processes below a process, parents first.
func descendants(root int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output() //nolint:noctx // few processes
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		pid, errPID := strconv.Atoi(fields[0])
		parent, errParent := strconv.Atoi(fields[1])
		if errPID == nil && errParent == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		found = append(found, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return found
}
