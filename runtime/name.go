package runtime

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isAttributeName reports whether an attribute or nested block can have the name, so
// that a configuration can refer to it.
func isAttributeName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', c == '_', '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}

// reservedNames are meta-arguments of every resource block.
var reservedNames = map[string]bool{
	"connection": true, "count": true, "depends_on": true, "for_each": true,
	"lifecycle": true, "provider": true, "provisioner": true,
}

// snakeCase returns the attribute name of a Go field. A run of capitals is one word,
// but its last letter belongs to the next word if a lower-case letter follows: SHA256
// is sha256, OwnerID is owner_id, HTTPServer is http_server.
func snakeCase(field string) string {
	name := make([]byte, 0, 64) // stays on the stack unless the name is very long
	last := '_'
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			next, _ := utf8.DecodeRuneInString(field[i+utf8.RuneLen(r):])
			if !unicode.IsUpper(last) || unicode.IsLower(next) {
				name = append(name, '_')
			}
		}
		name = utf8.AppendRune(name, unicode.ToLower(r))
		last = r
	}
	return string(name)
}

// tag is the value of `tf:` on a field.
type tag struct {
	skip      bool
	name      string
	named     bool
	optional  bool
	computed  bool
	sensitive bool
	writeOnly bool
	set       bool
	block     bool
	volatile  bool // also set for transient
	transient bool
	replace   bool
	keep      bool
}

// parseTag parses the tag of a field. Without a name in the tag, the name is the result of [snakeCase].
func parseTag(field, text string) (tag, error) {
	var t tag
	if text == "-" {
		t.skip = true
		return t, nil
	}
	name, options, _ := strings.Cut(text, ",")
	if t.name, t.named = name, name != ""; !t.named {
		t.name = snakeCase(field)
	}
	if !isAttributeName(t.name) {
		return t, fmt.Errorf("the name %q is not an attribute name (lower-case letters, digits and underscores, not starting with a digit)", t.name)
	}
	if options == "" {
		return t, nil
	}
	for more := true; more; {
		var option string
		option, options, more = strings.Cut(options, ",")
		flag := t.flag(option)
		switch {
		case flag == nil:
			return t, fmt.Errorf("the tag option %q is unknown (options are optional, computed, sensitive, writeonly, set, block, volatile, transient, replace, keep)", option)
		case *flag:
			return t, fmt.Errorf("the tag option %q is given twice", option)
		}
		*flag = true
	}
	t.volatile = t.volatile || t.transient
	return t, nil
}

// flag returns the flag that an option sets; nil if there is no such option.
func (t *tag) flag(option string) *bool {
	switch option {
	case "optional":
		return &t.optional
	case "computed":
		return &t.computed
	case "sensitive":
		return &t.sensitive
	case "writeonly":
		return &t.writeOnly
	case "set":
		return &t.set
	case "block":
		return &t.block
	case "volatile":
		return &t.volatile
	case "transient":
		return &t.transient
	case "replace":
		return &t.replace
	case "keep":
		return &t.keep
	}
	return nil
}
