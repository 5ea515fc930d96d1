package file_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// localState returns a state as hashicorp/local 2.5 writes it.
func localState(t *testing.T, set map[string]any) []byte {
	t.Helper()
	state := map[string]any{
		"content": nil, "content_base64": nil, "source": nil, "sensitive_content": nil,
		"content_base64sha256": "WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=", "content_sha256": helloSum,
		"content_md5": "b1946ac92492d2347c6235b4d2611184", "content_sha1": "f572d396fae9206628714fb2ce00f72e94f2258f",
		"directory_permission": "0777", "file_permission": "0777", "id": "f572d396fae9206628714fb2ce00f72e94f2258f",
	}
	maps.Copy(state, set)
	raw, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func moveLocal(o *resourcetest.Object, typeName string, state []byte) diag.Diagnostics {
	o.T.Helper()
	return o.Move(provider.MoveResourceStateRequest{
		SourceProviderAddress: "registry.terraform.io/hashicorp/local", SourceTypeName: typeName, SourceStateJSON: state,
	})
}

func TestMoveFromLocalFile(t *testing.T) {
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		typeName string
		state    map[string]any
		mode     os.FileMode
		config   attrs
		changes  []string
	}{
		"content": {
			"local_file",
			map[string]any{"content": "hello\n"},
			0o755,
			attrs{"content": str("hello\n"), "mode": str("0755")},
			nil,
		},
		"other mode": {
			"local_file",
			map[string]any{"content": "hello\n"},
			0o755,
			attrs{"content": str("hello\n")},
			[]string{"mode"},
		},
		"base64": {
			"local_file",
			map[string]any{"content_base64": b64("hello\n"), "file_permission": "644"},
			0o644,
			attrs{"content_base64": str(b64("hello\n"))},
			nil,
		},
		"old sensitive content": {
			"local_file",
			map[string]any{"sensitive_content": "hello\n", "file_permission": "0644"},
			0o644,
			attrs{"content": str("hello\n")},
			nil,
		},
		"source": {
			"local_file",
			map[string]any{"source": "SOURCE", "file_permission": "0644"},
			0o644,
			attrs{"source": str("SOURCE")},
			nil,
		},
		"sensitive": {
			"local_sensitive_file",
			map[string]any{"content": "hello\n", "file_permission": nil},
			0o700,
			attrs{"content": str("hello\n"), "mode": str("0700")},
			nil,
		},
		"relative name": {
			"local_file",
			map[string]any{"content": "hello\n", "file_permission": "0644", "filename": "RELATIVE"},
			0o644,
			attrs{"content": str("hello\n")},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			dir := t.TempDir()
			path, source := filepath.Join(dir, "file"), filepath.Join(dir, "source")
			resourcetest.Write(t, path, "hello\n", tt.mode)
			resourcetest.Write(t, source, "hello\n", 0o600)
			tt.config["path"] = str(path)
			if _, ok := tt.state["filename"]; !ok {
				tt.state["filename"] = path
			} else if tt.state["filename"], err = filepath.Rel(wd, path); err != nil {
				t.Fatal(err)
			}
			if tt.state["source"] != nil {
				tt.state["source"], tt.config["source"] = source, str(source)
			}
			before := resourcetest.Inode(t, path)
			diags := moveLocal(f, tt.typeName, localState(t, tt.state))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if warned := len(diags) > 0; warned != (tt.typeName == "local_sensitive_file") {
				t.Errorf("diagnostics %v, want a warning only for a local_sensitive_file", diags)
			}
			f.Refresh()
			f.Changes(tt.config, tt.changes...)
			f.Apply(tt.config)
			if !os.SameFile(before, resourcetest.Inode(t, path)) {
				t.Error("the file was written")
			}
			f.WantAttrs(attrs{"sha256": str(helloSum), "host": str("local")})
		})
	}
}

func TestMoveErrors(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	resourcetest.WantError(t, moveLocal(f, "local_file", localState(t, map[string]any{"filename": nil})), "", "no filename")
	resourcetest.WantError(t, moveLocal(f, "local_file", localState(t, map[string]any{"filename": "/"})), "", "root")
	resourcetest.WantError(t, moveLocal(f, "local_file", localState(t, map[string]any{"filename": "/a", "file_permission": "rw"})), "", "octal")
	diags := moveLocal(f, "local_other", localState(t, nil))
	resourcetest.WantError(t, diags, "", "local_file of hashicorp/local")
	if d := resourcetest.NewObject(t, resourcetest.New(t, types), "posix_directory"); !moveLocal(d, "local_file", localState(t, nil)).HasErrors() {
		t.Error("a local_file was moved to a posix_directory")
	}
	if strings.Contains(diags.Error(), "hello") {
		t.Error("a message contains the content")
	}
}
