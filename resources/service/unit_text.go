package service

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// maxUnitText is how much systemd reads of a file.
const maxUnitText = 1 << 20

// checkUnitText refuses text in which systemd would ignore a line for its form. What
// the settings mean is for the host to say.
func checkUnitText(text string) error {
	if len(text) > maxUnitText {
		return fmt.Errorf("a unit file has no more than %d bytes", maxUnitText)
	}
	section, continued, number := false, false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			return fmt.Errorf("line %d has a control character", number)
		}
		bare := strings.TrimSpace(line)
		comment := strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, ";")
		switch {
		case comment: // also within a setting of several lines
			continue
		case continued, bare == "":
		case strings.HasPrefix(bare, "["):
			if !strings.HasSuffix(bare, "]") || len(bare) < len("[x]") {
				return fmt.Errorf("line %d begins a section, which is a name in brackets, as [Service]", number)
			}
			section = true
		case !section:
			return fmt.Errorf("line %d is in no section: the first line that is no comment is a name in brackets, as [Service]", number)
		case strings.IndexByte(bare, '=') < 1:
			return fmt.Errorf("line %d is neither a section nor a setting, which is a name, an equals sign and a value", number)
		}
		continued = strings.HasSuffix(line, `\`)
	}
	if !section {
		return errors.New("a unit file has at least one section, as [Service]")
	}
	return nil
}
