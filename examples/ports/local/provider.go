package localport

import (
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run ../../../cmd/describe File SensitiveFile Checksums FileLookup FileContent SensitiveFileLookup SensitiveFileContent CommandLookup CommandResult EphemeralCommand CommandAction DirExists

// New returns the provider.
func New() (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name: "local",
		Resources: map[string]runtime.ResourceRegistration{
			"file":           runtime.MakeResource[File, *Checksums, runtime.NoConfig](),
			"sensitive_file": runtime.MakeResource[SensitiveFile, *Checksums, runtime.NoConfig](),
		},
		DataSources: map[string]runtime.DataSourceRegistration{
			"command":        runtime.MakeDataSource[CommandLookup, *CommandResult, runtime.NoConfig](),
			"file":           runtime.MakeDataSource[FileLookup, *FileContent, runtime.NoConfig](),
			"sensitive_file": runtime.MakeDataSource[SensitiveFileLookup, *SensitiveFileContent, runtime.NoConfig](),
		},
		EphemeralResources: map[string]runtime.EphemeralRegistration{
			"command": runtime.MakeEphemeral[EphemeralCommand, *CommandResult, runtime.NoSession, runtime.NoConfig](),
		},
		Actions: map[string]runtime.ActionRegistration{
			"command": runtime.MakeAction[CommandAction, runtime.NoConfig](),
		},
		Functions: map[string]runtime.FunctionRegistration{
			"direxists": runtime.MakeFunc(DirExists, dirExistsSpec),
		},
	})
}
