package floor

import (
	"errors"
	"io/fs"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/disk"
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

var fileKind = Kind{
	Type:   fileType,
	Key:    "path",
	Create: createFile,
	Update: updateFile,
	Read:   readFile,
	Write:  writeFile,
	Remove: removeFile,
}

// FileType returns the type of FileSchema.
func FileType() cty.Type { return fileType }

// FileSchema returns the schema of the file, with 6 attributes.
func FileSchema() *tfplugin.Schema {
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

func readFile(files *disk.Files, prior cty.Value) (cty.Value, error) {
	attrs := prior.AsValueMap()
	if files != nil {
		content, mode, err := files.Read(attrs["path"].AsString())
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

func writeFile(files *disk.Files, planned cty.Value) (cty.Value, error) {
	attrs := planned.AsValueMap()
	content := attrs["content"].AsString()
	if !attrs["mode"].IsKnown() {
		attrs["mode"] = cty.StringVal(defaultMode)
	}
	if files != nil {
		if err := files.Write(attrs["path"].AsString(), content, attrs["mode"].AsString()); err != nil {
			return cty.NilVal, err
		}
	}
	attrs["size"] = cty.NumberIntVal(int64(len(content)))
	attrs["exists"] = cty.True
	return cty.ObjectVal(attrs), nil
}

func removeFile(files *disk.Files, prior cty.Value) error {
	if files == nil {
		return nil
	}
	return files.Remove(prior.GetAttr("path").AsString())
}
