package floor

import (
	"errors"
	"io/fs"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

const (
	typeName    = "bench_file"
	defaultMode = "0644"
)

var fileType = cty.Object(map[string]cty.Type{
	"path":    cty.String,
	"content": cty.String,
	"mode":    cty.String,
	"size":    cty.Number,
	"exists":  cty.Bool,
	"tags":    cty.Map(cty.String),
})

var fileKind = kind{
	ty:     fileType,
	key:    "path",
	create: createFile,
	update: updateFile,
	read:   readFile,
	write:  writeFile,
	remove: removeFile,
}

func fileSchema() *tfplugin.Schema {
	return &tfplugin.Schema{Block: &tfplugin.SchemaBlock{Attributes: []*tfplugin.SchemaAttribute{
		{Name: "content", Type: tftypes.String, Required: true},
		{Name: "exists", Type: tftypes.Bool, Computed: true},
		{Name: "mode", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "path", Type: tftypes.String, Required: true},
		{Name: "size", Type: tftypes.Number, Computed: true},
		{Name: "tags", Type: tftypes.Map{ElementType: tftypes.String}, Optional: true},
	}}}
}

func createFile(proposed cty.Value) cty.Value {
	attrs := proposed.AsValueMap()
	attrs["size"] = cty.UnknownVal(cty.Number)
	attrs["exists"] = cty.UnknownVal(cty.Bool)
	if attrs["mode"].IsNull() {
		attrs["mode"] = cty.UnknownVal(cty.String)
	}
	return cty.ObjectVal(attrs)
}

func updateFile(prior, proposed cty.Value) cty.Value {
	if prior.GetAttr("content").RawEquals(proposed.GetAttr("content")) {
		return proposed
	}
	attrs := proposed.AsValueMap()
	attrs["size"] = cty.UnknownVal(cty.Number)
	return cty.ObjectVal(attrs)
}

func readFile(s *Server, prior cty.Value) (cty.Value, error) {
	attrs := prior.AsValueMap()
	if s.Files != nil {
		content, mode, err := s.Files.Read(attrs["path"].AsString())
		if errors.Is(err, fs.ErrNotExist) {
			return cty.NullVal(fileType), nil
		}
		if err != nil {
			return cty.NilVal, err
		}
		attrs["content"] = cty.StringVal(content)
		attrs["mode"] = cty.StringVal(mode)
	}
	attrs["size"] = cty.NumberIntVal(int64(len(attrs["content"].AsString())))
	attrs["exists"] = cty.True
	return cty.ObjectVal(attrs), nil
}

func writeFile(s *Server, planned cty.Value) (cty.Value, error) {
	attrs := planned.AsValueMap()
	content := attrs["content"].AsString()
	if !attrs["mode"].IsKnown() {
		attrs["mode"] = cty.StringVal(defaultMode)
	}
	if s.Files != nil {
		if err := s.Files.Write(attrs["path"].AsString(), content, attrs["mode"].AsString()); err != nil {
			return cty.NilVal, err
		}
	}
	attrs["size"] = cty.NumberIntVal(int64(len(content)))
	attrs["exists"] = cty.True
	return cty.ObjectVal(attrs), nil
}

func removeFile(s *Server, prior cty.Value) error {
	if s.Files == nil {
		return nil
	}
	return s.Files.Remove(prior.GetAttr("path").AsString())
}
