// Package report writes measurements into a Markdown page that also contains text written
// by hand. Each tool replaces only its own sections. A section is between two comments.
//
// Elsewhere: package bench and its commands measure.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"time"
)

// Write replaces the section of this name in the page at path, or appends it if the page
// has none; a missing page is created. A section without an end comment is an error.
func Write(path, section, body string) error {
	page, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read report: %w", err)
	}
	replaced, err := Replace(string(page), section, body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.WriteFile(path, []byte(replaced), 0o644); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Replace returns page with the body of the section replaced or appended. A section without
// an end comment is an error.
func Replace(page, section, body string) (string, error) {
	begin := "<!-- begin " + section + " -->\n"
	end := "<!-- end " + section + " -->\n"
	content := begin + strings.TrimRight(body, "\n") + "\n" + end
	head, rest, found := strings.Cut(page, begin)
	if !found {
		if page != "" && !strings.HasSuffix(page, "\n") {
			page += "\n"
		}
		return page + content, nil
	}
	_, tail, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("section %s has no end comment", section)
	}
	return head + content + tail, nil
}

// Conditions returns a line with the date, the Go version, and the host and its load. Call
// it before the measurements.
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

// Spread is the median of several values and their range.
type Spread struct {
	Median float64

	low, high float64
	values    int
}

// NewSpread returns the spread of values, or the zero Spread if there are none.
func NewSpread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	return Spread{Median: Median(values), low: slices.Min(values), high: slices.Max(values), values: len(values)}
}

// String returns the median with two decimals, and the range of three or more values in
// brackets. Without values it returns a dash.
func (s Spread) String() string {
	switch {
	case s.values == 0:
		return "–"
	case s.values < 3:
		return fmt.Sprintf("%.2f", s.Median)
	default:
		return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.low, s.high)
	}
}

// Median returns the median of values, or zero if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}
