package accspeed

import (
	"fmt"
	"strings"
	"time"
)

// Aims are what the engine in this process is held to.
const (
	AimRatio = 500
	AimMany  = 10 * time.Second
)

// Table shows the results, with what misses an aim marked.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| test | command line | in this process | times faster | many at once |\n|---|---:|---:|---:|---:|\n")
	for _, r := range results {
		ratio := fmt.Sprintf("%.0f", r.Ratio())
		if r.Ratio() < AimRatio {
			ratio += " (missed)"
		}
		many := fmt.Sprintf("%s tests in %.2f s", thousands(r.Count), r.Many.Seconds())
		if r.Many > AimMany {
			many += " (missed)"
		}
		fmt.Fprintf(&b, "| %s | %.2f s | %.2f ms | %s | %s |\n", r.Title, r.CLI.Seconds(), float64(r.InProcess)/float64(time.Millisecond), ratio, many)
	}
	return b.String()
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
