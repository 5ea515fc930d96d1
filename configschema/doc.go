// Package configschema defines schemas of configuration and state objects:
// attributes, nested attribute types and nested blocks.
//
// Schemas must not be modified after they are built, and are then safe for
// concurrent use. [Block.InternalValidate] and [Object.InternalValidate] check
// schemas against the rules of Terraform and OpenTofu, whichever are stricter.
//
// Elsewhere: package runtime derives schemas from Go structs; package internal/wire has
// the protocol form of a schema; package objchange checks values against a schema.
package configschema
