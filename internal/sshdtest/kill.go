package sshdtest

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// killAll kills sshd and what it started. In a sandbox it is the first process of
// its namespace, with which all others end. Elsewhere they are found by their
// parents; what has left its parent has left the server.
func (s *Server) killAll() {
	doomed := []int{s.cmd.Process.Pid}
	if !s.sandboxed {
		doomed = append(doomed, descendants(s.cmd.Process.Pid)...)
	}
	for _, pid := range doomed {
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // it may have ended by itself
		}
	}
}

// descendants are the processes below a process, parents first.
func descendants(root int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output() //nolint:noctx // it is short
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
