package file_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestMigrateVersion0 checks the upgrade of states with version 0 of the schema.
func TestMigrateVersion0(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state string
		want  attrs
	}{
		"defaults": {
			`{"backup":null,"backup_path":null,"content":"hello 0\n","content_base64":null,"content_wo":null,"content_wo_intact":null,
			"content_wo_version":null,"group":"root","host":"local","mode":"0644","overwrite":false,"owner":"root","parents":true,
			"path":"/srv/file-0","sha256":"5cac75949d52bdd627c7bb0770e2848ffad0c122a159ffa463f4ec0a5f53c82e","size":8,"source":null,
			"validate":null,"validate_output":null}`,
			attrs{
				"content": str("hello 0\n"), "group": str("root"), "host": str("local"), "mode": str("0644"), "owner": str("root"), "path": str("/srv/file-0"),
				"sha256": str("5cac75949d52bdd627c7bb0770e2848ffad0c122a159ffa463f4ec0a5f53c82e"),
			},
		},
		"write options": {
			`{"backup":true,"backup_path":"/srv/.f.backup-20260203T220405Z~","content":"x","host":"web","mode":"0640","overwrite":true,
			"parents":false,"path":"/srv/f","size":1,"validate":["check","%s"],"validate_output":false}`,
			attrs{"content": str("x"), "host": str("web"), "mode": str("0640"), "path": str("/srv/f"), "write_options": options(attrs{
				"backup": cty.True, "overwrite": cty.True, "parents": cty.False, "validate": list("check", "%s"), "validate_output": cty.False,
			})},
		},
		"write-only content": {
			`{"content_wo_intact":true,"content_wo_version":"2","mode":"0600","overwrite":false,"parents":true,"path":"/srv/f"}`,
			attrs{"content_wo_version": str("2"), "mode": str("0600"), "path": str("/srv/f")},
		},
		"write-only content that drifted": {
			`{"content_wo_intact":false,"content_wo_version":"2","mode":"0600","overwrite":false,"parents":true,"path":"/srv/f"}`,
			attrs{"mode": str("0600"), "path": str("/srv/f")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			resp := f.Provider.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{TypeName: "posix_file", RawStateJSON: []byte(tt.state)})
			resourcetest.NoErrors(t, resp.Diagnostics)
			if want := f.Config(tt.want); !resp.UpgradedState.RawEquals(want) {
				t.Errorf("got %#v\nwant %#v", resp.UpgradedState, want)
			}
		})
	}
}
