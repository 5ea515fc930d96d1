package ours

import (
	"strings"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Item is an argument of the functions.
type Item struct {
	Name  string
	Size  int64
	Owner *string
}

func functions() map[string]runtime.FunctionRegistration {
	items := []runtime.Param{{Name: "items"}}
	return map[string]runtime.FunctionRegistration{
		"upper": runtime.MakeFunc(strings.ToUpper, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "text"}}}),
		"total": runtime.MakeFunc(total, runtime.FuncSpec{Parameters: items}),
		"grown": runtime.MakeFunc(grown, runtime.FuncSpec{Parameters: items}),
		"join":  runtime.MakeFunc(join, runtime.FuncSpec{Parameters: []runtime.Param{{Name: "separator"}, {Name: "parts"}}}),
	}
}

func total(items []Item) int64 {
	sum := int64(0)
	for _, i := range items {
		sum += i.Size
	}
	return sum
}

func grown(items []Item) []Item {
	out := make([]Item, len(items))
	for i, item := range items {
		item.Size *= 2
		out[i] = item
	}
	return out
}

func join(separator string, parts ...string) string { return strings.Join(parts, separator) }
