package wire

import (
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// PathToProto converts a path to its protocol form. It ends before the first step
// that the protocol does not have, the step to an element of a set; the path is then
// that of the set. The result for the empty path is nil.
func PathToProto(path cty.Path) *tftypes.AttributePath {
	steps := make([]tftypes.AttributePathStep, 0, len(path))
	for _, step := range path {
		s := stepToProto(step)
		if s == nil {
			break
		}
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil
	}
	return tftypes.NewAttributePathWithSteps(steps)
}

func stepToProto(step cty.PathStep) tftypes.AttributePathStep {
	switch step := step.(type) {
	case cty.GetAttrStep:
		return tftypes.AttributeName(validText(step.Name))
	case cty.IndexStep:
		key := step.Key
		if key == cty.NilVal || key.IsMarked() || !key.IsKnown() || key.IsNull() {
			return nil
		}
		switch key.Type() {
		case cty.String:
			return tftypes.ElementKeyString(validText(key.AsString()))
		case cty.Number:
			if i, acc := floatOf(key).Int64(); acc == big.Exact {
				return tftypes.ElementKeyInt(i)
			}
		}
	}
	return nil
}

// validText replaces invalid UTF-8, with which the response could not be sent.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// PathFromProto is the inverse of [PathToProto]. A nil path and one without steps
// both stand for the whole object: nil.
func PathFromProto(in *tftypes.AttributePath) cty.Path {
	var path cty.Path
	for _, step := range in.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			path = append(path, cty.GetAttrStep{Name: string(step)})
		case tftypes.ElementKeyString:
			path = append(path, cty.IndexStep{Key: cty.StringVal(string(step))})
		case tftypes.ElementKeyInt:
			path = append(path, cty.IndexStep{Key: cty.NumberIntVal(int64(step))})
		default:
			return path
		}
	}
	return path
}
