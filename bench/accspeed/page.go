package accspeed

import (
	"fmt"
	"strings"
	"time"
)

// Aims for the engine in this process.
const (
	AimRatio = 500
	AimMany  = 10 * time.Second
)

// Table returns a table of the results. It marks missed aims in the first one, because the
// aims are for a provider that costs little itself.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| test | command line, s | in this process, ms | times faster | many at once |\n|---|--:|--:|--:|--:|\n")
	for i, r := range results {
		ratio := fmt.Sprintf("%.0f (%.0f)", r.Ratio(), r.BestRatio())
		if i == 0 && r.Ratio() < AimRatio {
			ratio += " **missed**"
		}
		many := fmt.Sprintf("%s in %.2f s", thousands(r.Count), r.Many.Seconds())
		if i == 0 && r.Many > AimMany {
			many += " **missed**"
		}
		fmt.Fprintf(&b, "| %s | %.2f (%.2f) | %.2f (%.2f) | %s | %s |\n", r.Title,
			r.CLI.Median.Seconds(), r.CLI.Best.Seconds(), milliseconds(r.InProcess.Median), milliseconds(r.InProcess.Best), ratio, many)
	}
	return b.String()
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
