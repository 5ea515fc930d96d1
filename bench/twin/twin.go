// Package twin has a hand-written posix_file, implemented like the resources of package
// floor, with the schema and the identity of the real posix_file.
//
// Many attributes and an identity make a resource more expensive for the engine, whichever
// provider serves it. The twin costs the engine as much as posix_file, so the difference
// between the two is the cost of the provider. A test compares their plans.
//
// The twin supports what the benchmark needs: files with content and mode on the local host. The
// schema comes from the provider, so it cannot differ from that of posix_file.
package twin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/bench/floor"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

const typeName = "posix_file"

// New returns a server of posix_file with the schemas of the provider.
func New(ctx context.Context, files *disk.Files) (_ *floor.Server, err error) {
	posix, err := resources.New("bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, posix.Close()) }()
	model, err := tfprotov6.NewServer(ctx, posix)
	if err != nil {
		return nil, err
	}
	s := &floor.Server{Files: files}
	if s.Schemas, err = model.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{}); err != nil {
		return nil, err
	}
	if s.Identities, err = model.GetResourceIdentitySchemas(ctx, &tfplugin.GetResourceIdentitySchemasRequest{}); err != nil {
		return nil, err
	}
	file := posix.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{}).ResourceTypes[typeName]
	s.Kinds = map[string]*floor.Kind{typeName: {
		Type: file.Body.ImpliedType(), Key: "path", Create: create, Update: update, Read: read, Write: write, Remove: remove,
		IdentityType: file.Identity.ImpliedType(), Identity: identity,
	}}
	return s, nil
}

func create(proposed cty.Value) cty.Value {
	attrs := proposed.AsValueMap()
	for name, v := range map[string]cty.Value{
		"host": cty.StringVal("local"), "mode": cty.StringVal("0644"),
		"owner": cty.UnknownVal(cty.String), "group": cty.UnknownVal(cty.String),
	} {
		if attrs[name].IsNull() {
			attrs[name] = v
		}
	}
	attrs["sha256"] = cty.UnknownVal(cty.String)
	if content := attrs["content"]; content.IsKnown() {
		attrs["sha256"] = digest(content.AsString())
	}
	return cty.ObjectVal(attrs)
}

func update(prior, proposed cty.Value) cty.Value {
	if prior.GetAttr("content").RawEquals(proposed.GetAttr("content")) {
		return proposed
	}
	return create(proposed)
}

func read(files *disk.Files, prior cty.Value) (cty.Value, error) {
	attrs := prior.AsValueMap()
	path := attrs["path"].AsString()
	content, mode, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cty.NullVal(prior.Type()), nil
	}
	if err != nil {
		return cty.NilVal, err
	}
	attrs["content"], attrs["mode"] = cty.StringVal(content), cty.StringVal(mode)
	return describe(files, attrs, path, content)
}

func write(files *disk.Files, planned cty.Value) (cty.Value, error) {
	attrs := planned.AsValueMap()
	path, content := attrs["path"].AsString(), attrs["content"].AsString()
	if err := files.Write(path, content, attrs["mode"].AsString()); err != nil {
		return cty.NilVal, err
	}
	return describe(files, attrs, path, content)
}

// describe returns the object with attrs and the attributes that are computed from the
// file's content and owner.
func describe(files *disk.Files, attrs map[string]cty.Value, path, content string) (cty.Value, error) {
	owner, group, err := files.Owner(path)
	if err != nil {
		return cty.NilVal, err
	}
	attrs["owner"], attrs["group"] = cty.StringVal(owner), cty.StringVal(group)
	attrs["sha256"] = digest(content)
	return cty.ObjectVal(attrs), nil
}

func digest(content string) cty.Value {
	sum := sha256.Sum256([]byte(content))
	return cty.StringVal(hex.EncodeToString(sum[:]))
}

func remove(files *disk.Files, prior cty.Value) error {
	return files.Remove(prior.GetAttr("path").AsString())
}

func identity(state cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"host": state.GetAttr("host"), "path": state.GetAttr("path")})
}
