package functions_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/resources/functions"
)

func TestHostsFile(t *testing.T) {
	t.Parallel()
	o := cty.ObjectVal
	for name, tt := range map[string]struct {
		hosts cty.Value
		want  string
	}{
		"empty":                       {cty.EmptyObjectVal, ""},
		"one name":                    {o(object{"192.0.2.1": str("a")}), "192.0.2.1\ta\n"},
		"names in order":              {o(object{"192.0.2.1": list("web.example.com", "web", "a_b-c.1x")}), "192.0.2.1\tweb.example.com web a_b-c.1x\n"},
		"address by name":             {o(object{"a": str("192.0.2.1")}), "192.0.2.1\ta\n"},
		"addresses by name":           {o(object{"a": list("2001:db8::1", "192.0.2.1")}), "192.0.2.1\ta\n2001:db8::1\ta\n"},
		"names with one address":      {cty.MapVal(object{"b": str("192.0.2.1"), "a": str("192.0.2.1")}), "192.0.2.1\ta b\n"},
		"names and addresses as keys": {o(object{"a": str("192.0.2.1"), "192.0.2.1": list("z", "A"), "b": str("192.0.2.1")}), "192.0.2.1\tz A b\n"},
		"names of an address first":   {o(object{"fd00::1": str("z"), "a": str("fd00::1")}), "fd00::1\tz a\n"},
		"duplicate names":             {o(object{"192.0.2.1": list("a", "b", "A", "a")}), "192.0.2.1\ta b\n"},
		"equivalent addresses":        {o(object{"2001:DB8:0::1": str("a"), "2001:db8::1": str("b")}), "2001:db8::1\ta b\n"},
		"order": {
			o(object{
				"192.0.2.10": str("j"), "192.0.2.9": str("i"), "10.0.0.1": str("h"), "::1": str("b"), "127.0.1.1": str("c"), "127.0.0.1": str("a"),
				"fe80::1%eth0": str("f"), "2001:db8::1": str("g"), "::ffff:192.0.2.1": str("m"),
			}),
			"127.0.0.1\ta\n127.0.1.1\tc\n::1\tb\n10.0.0.1\th\n192.0.2.9\ti\n192.0.2.10\tj\n::ffff:192.0.2.1\tm\n2001:db8::1\tg\nfe80::1%eth0\tf\n",
		},
		"null and empty": {o(object{"192.0.2.1": cty.NullVal(anything), "192.0.2.2": cty.EmptyTupleVal, "a": cty.NullVal(anything)}), ""},
		"longest name":   {o(object{"192.0.2.1": str(strings.Repeat(strings.Repeat("a", 62)+".", 4) + "a")}), "192.0.2.1\t" + strings.Repeat(strings.Repeat("a", 62)+".", 4) + "a\n"},
	} {
		if got, err := functions.HostsFile(tt.hosts); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}

func TestHostsFileErrors(t *testing.T) {
	t.Parallel()
	one := func(key string, v cty.Value) cty.Value { return cty.ObjectVal(object{key: v}) }
	for name, tt := range map[string]struct {
		hosts cty.Value
		says  string
	}{
		"not a map":                  {list("hush"), "hosts must be a map"},
		"number":                     {one("192.0.2.1", cty.NumberIntVal(1)), `the key "192.0.2.1": its value must be a string or a list of strings`},
		"object":                     {one("192.0.2.1", one("hush", str("hush"))), "must be a string or a list of strings"},
		"invalid address":            {one("a", list("192.0.2.1", "hush")), `the key "a": value 2 is not an IPv4 or IPv6 address`},
		"network":                    {one("a", str("192.0.2.0/24")), `the key "a": value 1 is not an IPv4 or IPv6 address`},
		"octal address":              {one("010.0.0.1", str("hush")), `the key "010.0.0.1" is not an address, and as a name it ends with a number`},
		"zone with a blank":          {one("a", str("fe80::1%a b")), `the key "a": value 1 is not an IPv4 or IPv6 address`},
		"address by address":         {one("192.0.2.1", str("192.0.2.2")), `the key "192.0.2.1": value 1 ends with a number`},
		"name with a blank":          {one("192.0.2.1", str("hush hush")), "value 1 has a character other than letters"},
		"line break":                 {one("192.0.2.1", str("hush\n127.0.0.1")), "value 1 has a character other than letters"},
		"comment character":          {one("192.0.2.1", str("hush#x")), "value 1 has a character other than letters"},
		"non-ASCII":                  {one("192.0.2.1", str("hüsh")), "value 1 has a character other than letters"},
		"empty name":                 {one("192.0.2.1", str("")), "value 1 is empty"},
		"trailing dot":               {one("192.0.2.1", str("hush.")), "value 1 has an empty label"},
		"leading dash":               {one("192.0.2.1", str("x.-hush")), "value 1 has a label that begins or ends with a dash"},
		"trailing dash":              {one("192.0.2.1", str("hush-.x")), "value 1 has a label that begins or ends with a dash"},
		"label too long":             {one("192.0.2.1", str(strings.Repeat("a", 64))), "value 1 has a label of more than 63"},
		"name too long":              {one("192.0.2.1", str(strings.Repeat("a.", 127))), "value 1 has more than 253"},
		"invalid name as key":        {one("a b", str("192.0.2.1")), `the key "a b" is not an address, and as a name it has a character`},
		"invalid key without values": {one("a b", cty.EmptyTupleVal), `the key "a b" is not an address, and as a name it has a character`},
	} {
		_, err := functions.HostsFile(tt.hosts)
		wantError(t, name, err, 0, tt.says)
		wantNoSecret(t, err)
	}
}

// FuzzHostsFile checks that each line has a unique address and only given names,
// and that encoding the parsed lines returns the same text.
func FuzzHostsFile(f *testing.F) {
	f.Add("192.0.2.1", "a", "b", "::1")
	f.Add("b", "127.0.0.1", "2001:DB8::1", "B")
	f.Add("fe80::1%x", "a", "FE80::1%x", "c.d")
	f.Add("fe80::1%a b", "a", "a", "fe80::1%#")
	f.Fuzz(func(t *testing.T, key1, value1, key2, value2 string) {
		text, err := functions.HostsFile(cty.ObjectVal(object{key1: str(value1), key2: list(value2)}))
		if err != nil {
			return
		}
		parsed, seen := object{}, map[netip.Addr]bool{}
		for line := range strings.Lines(text) {
			fields := strings.Fields(line)
			address, err := netip.ParseAddr(fields[0])
			if err != nil || seen[address] || len(fields) < 2 {
				t.Fatalf("invalid line %q: %v", line, err)
			}
			seen[address] = true
			for _, field := range fields[1:] {
				if !slices.Contains([]string{key1, value1, key2, value2}, field) {
					t.Errorf("unexpected name %q", field)
				}
			}
			parsed[fields[0]] = list(fields[1:]...)
		}
		if again, err := functions.HostsFile(cty.ObjectVal(parsed)); again != text || err != nil {
			t.Errorf("the parsed lines are encoded as %q, %v; want %q", again, err, text)
		}
	})
}
