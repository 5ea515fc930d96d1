package runtime

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// isAttributeName reports whether attributes and nested blocks may be called
// that: whether clients can address it in configuration.
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

// reservedNames have a meaning of their own in every resource block.
var reservedNames = map[string]bool{
	"connection": true, "count": true, "depends_on": true, "for_each": true,
	"lifecycle": true, "provider": true, "provisioner": true,
}

// snakeCase writes a Go field name as an attribute name. A run of capitals is
// one word, of which the last letter belongs to the next word where lower case
// follows: SHA256 is sha256, OwnerID is owner_id, HTTPServer is http_server.
func snakeCase(field string) string {
	runes := []rune(field)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 {
			afterLower := !unicode.IsUpper(runes[i-1])
			beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// tag is what stands behind `tf:` on a field.
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
	volatile  bool
}

func parseTag(f reflect.StructField) (tag, error) {
	t := tag{name: snakeCase(f.Name)}
	text := f.Tag.Get("tf")
	if text == "-" {
		t.skip = true
		return t, nil
	}
	name, options, _ := strings.Cut(text, ",")
	if name != "" {
		t.name, t.named = name, true
	}
	if !isAttributeName(t.name) {
		return t, fmt.Errorf("the name %q is not an attribute name (lower-case letters, digits and underscores, not starting with a digit)", t.name)
	}
	if options == "" {
		return t, nil
	}
	flags := map[string]*bool{
		"optional": &t.optional, "computed": &t.computed, "sensitive": &t.sensitive,
		"writeonly": &t.writeOnly, "set": &t.set, "block": &t.block, "volatile": &t.volatile,
	}
	for option := range strings.SplitSeq(options, ",") {
		flag, ok := flags[option]
		switch {
		case !ok:
			return t, fmt.Errorf("the tag option %q is unknown (known are optional, computed, sensitive, writeonly, set, block, volatile)", option)
		case *flag:
			return t, fmt.Errorf("the tag option %q is given twice", option)
		}
		*flag = true
	}
	return t, nil
}
