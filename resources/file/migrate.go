package file

import (
	"context"
	"reflect"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Migrations implements [runtime.Migrator]. Version 0 had the write options at the top
// level, and a flag for write-only content that had drifted.
func (*File) Migrations() []runtime.Migration {
	type before struct {
		Parents          *bool
		Overwrite        *bool
		Validate         []string `tf:",optional"`
		ValidateOutput   *bool
		Backup           *bool
		ContentWOVersion *string
		ContentWOIntact  *bool `tf:"content_wo_intact"`
		Size             *int64
		BackupPath       *string
	}
	type after struct {
		WriteOptions     *WriteOptions
		ContentWOVersion *string
	}
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, b before) (after, error) {
			options := WriteOptions{Validate: b.Validate, ValidateOutput: b.ValidateOutput, Backup: b.Backup}
			if b.Parents != nil && !*b.Parents {
				options.Parents = b.Parents
			}
			if isTrue(b.Overwrite) {
				options.Overwrite = b.Overwrite
			}
			a := after{ContentWOVersion: b.ContentWOVersion}
			if !reflect.DeepEqual(options, WriteOptions{}) {
				a.WriteOptions = &options
			}
			if b.ContentWOIntact != nil && !*b.ContentWOIntact {
				a.ContentWOVersion = nil
			}
			return a, nil
		}),
	}
}
