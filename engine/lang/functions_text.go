package lang

import (
	"regexp"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

func textFunctions() map[string]function.Function {
	return map[string]function.Function{
		"endswith": compareText("suffix", strings.HasSuffix), "startswith": startswithFunction(),
		"strcontains": compareText("substr", strings.Contains), "replace": replaceFunction(),
	}
}

func compareText(second string, is func(string, string) bool) function.Function {
	return ofStrings(params("str", second), cty.Bool, func(args []string) (cty.Value, error) {
		return cty.BoolVal(is(args[0], args[1])), nil
	})
}

// startswithFunction returns the startswith function. It supports unknown strings with a
// known prefix.
func startswithFunction() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "str", Type: cty.String, AllowUnknown: true}, {Name: "prefix", Type: cty.String},
		},
		Type: function.StaticReturnType(cty.Bool), RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			prefix := args[1].AsString()
			if args[0].IsKnown() {
				return cty.BoolVal(strings.HasPrefix(args[0].AsString(), prefix)), nil
			}
			begins := args[0].Range().StringPrefix()
			switch {
			case strings.HasPrefix(begins, prefix):
				return cty.True, nil
			case !strings.HasPrefix(prefix, begins):
				return cty.False, nil
			default:
				return cty.UnknownVal(cty.Bool), nil
			}
		},
	})
}

// replaceFunction returns the replace function, which replaces text, or matches of a
// regular expression between slashes.
func replaceFunction() function.Function {
	return ofStrings(params("str", "substr", "replace"), cty.String, func(args []string) (cty.Value, error) {
		text, old, replacement := args[0], args[1], args[2]
		if len(old) > 1 && strings.HasPrefix(old, "/") && strings.HasSuffix(old, "/") {
			pattern, err := regexp.Compile(old[1 : len(old)-1])
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(1, "invalid regular expression")
			}
			return cty.StringVal(pattern.ReplaceAllString(text, replacement)), nil
		}
		return cty.StringVal(strings.ReplaceAll(text, old, replacement)), nil
	})
}

func timeFunctions() map[string]function.Function {
	return map[string]function.Function{
		"timestamp": ofStrings(nil, cty.String, func([]string) (cty.Value, error) {
			return timestampOf(time.Now()), nil
		}),
		"plantimestamp": ofStrings(nil, cty.String, func([]string) (cty.Value, error) {
			return cty.UnknownVal(cty.String), nil
		}),
		"timecmp": ofStrings(params("timestamp_a", "timestamp_b"), cty.Number, func(args []string) (cty.Value, error) {
			var at [2]time.Time
			for i, arg := range args {
				var err error
				if at[i], err = time.Parse(time.RFC3339, arg); err != nil {
					return cty.NilVal, function.NewArgErrorf(i, "must be a timestamp in RFC 3339 format")
				}
			}
			return cty.NumberIntVal(int64(at[0].Compare(at[1]))), nil
		}),
	}
}

// FixedTimestamp returns a timestamp function with a constant result.
func FixedTimestamp(at time.Time) function.Function {
	v := timestampOf(at)
	return ofStrings(nil, cty.String, func([]string) (cty.Value, error) { return v, nil })
}

func timestampOf(at time.Time) cty.Value { return cty.StringVal(at.UTC().Format(time.RFC3339)) }
