package lang

import (
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

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
					return cty.NilVal, function.NewArgErrorf(i, "this is no timestamp as RFC 3339 has them")
				}
			}
			return cty.NumberIntVal(int64(at[0].Compare(at[1]))), nil
		}),
	}
}

// FixedTimestamp is plantimestamp for a plan of that time.
// FixedTimestamp is plantimestamp in a run that began at the time.
func FixedTimestamp(at time.Time) function.Function {
	v := timestampOf(at)
	return ofStrings(nil, cty.String, func([]string) (cty.Value, error) { return v, nil })
}

func timestampOf(at time.Time) cty.Value { return cty.StringVal(at.UTC().Format(time.RFC3339)) }
