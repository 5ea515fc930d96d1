package report

import (
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"time"
)

// Conditions returns a line with the host and the date of the measurements.
func Conditions() string {
	return fmt.Sprintf("%s; %s, %s/%s, %d cores (%s); load average before the run %s.",
		time.Now().UTC().Format("2006-01-02"), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH,
		goruntime.NumCPU(), field("/proc/cpuinfo", "model name"), load())
}

// field returns the value of the first "name : value" line of a file, or
// "unknown".
func field(path, name string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}
