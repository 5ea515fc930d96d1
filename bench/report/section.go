// Package report writes measurements into a Markdown page that also contains text written
// by hand: each tool owns one section between two comments and replaces only that.
//
// Elsewhere: package bench and its commands measure.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Write replaces the section of this name in the page at path, or appends it if the page
// has none; a missing page is created.
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

// Replace returns page with the body of the section replaced or appended.
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
		return "", fmt.Errorf("section %s begins but does not end", section)
	}
	return head + content + tail, nil
}
