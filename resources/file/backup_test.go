package file_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// backups returns the paths of the backups in a directory, sorted.
func backups(t *testing.T, h host.Host, dir string) []string {
	t.Helper()
	entries, err := h.ReadDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name, "~") {
			found = append(found, path.Join(dir, e.Name))
		}
	}
	return found
}

// lstatBackup returns the file information of the only backup in a directory.
func lstatBackup(t *testing.T, h host.Host, dir string) (host.FileInfo, error) {
	t.Helper()
	found := backups(t, h, dir)
	if len(found) != 1 {
		t.Fatalf("the backups are %q, want one backup", found)
	}
	return h.Lstat(t.Context(), found[0])
}

func wantKept(t *testing.T, h host.Host, dir string, want ...string) {
	t.Helper()
	var got []string
	for _, name := range backups(t, h, dir) {
		got = append(got, contentOf(t, h, name))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the backups have %q, want %q", got, want)
	}
}

func TestBackupLifecycle(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(nil)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/d/o"), "content": str("one"), "mode": str("0640"), "owner": str("bob"), "write_options": options(attrs{"backup": cty.True})}
	o.Apply(set)
	wantKept(t, h, "/d")

	set["content"] = str("two")
	o.Changes(set, "content", "sha256")
	o.Apply(set)
	wantKept(t, h, "/d", "one")
	info, err := lstatBackup(t, h, "/d")
	if !regexp.MustCompile(`^/d/\.o\.backup-\d{8}T\d{6}Z~$`).MatchString(info.Path) {
		t.Errorf("the backup is %s, want /d/.o.backup-TIME~", info.Path)
	}
	if err != nil || info.Mode != 0o640 || info.Owner != "bob" {
		t.Errorf("the backup is %+v (%v), want mode 0640 and the owner bob", info, err)
	}

	// An apply without new content makes no backup.
	set["mode"] = str("0600")
	o.Changes(set, "mode")
	o.Apply(set)
	wantKept(t, h, "/d", "one")

	// Drifted content is backed up, even within the same second.
	resourcetest.WriteOn(t, h, "/d/o", "hand-made")
	o.Apply(set)
	wantKept(t, h, "/d", "one", "hand-made")

	// With backup set to false, no backup is made, and existing backups are kept.
	set["write_options"] = options(attrs{"backup": cty.False})
	o.Changes(set, "write_options")
	set["content"] = str("three")
	o.Apply(set)
	wantKept(t, h, "/d", "one", "hand-made")
	if diags := o.Destroy(); diags.HasErrors() {
		t.Fatal(diags)
	}
	wantKept(t, h, "/d", "one", "hand-made")
}

// TestBackupOnOverwrite checks that an existing file is backed up before it is overwritten.
func TestBackupOnOverwrite(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(nil)
	p := resourcetest.NewOn(t, types, h)
	resourcetest.WriteOn(t, h, "/o", "theirs")
	o := resourcetest.NewObject(t, p, "posix_file")
	set := attrs{"path": str("/o"), "content": str("ours"), "write_options": options(attrs{"backup": cty.True})}
	resourcetest.WantError(t, o.Plan(set).Diagnostics, "path", "already exists")
	set["write_options"] = options(attrs{"backup": cty.True, "overwrite": cty.True})
	plan := o.Plan(set)
	if text := plan.Diagnostics.Error(); !strings.Contains(text, "6 bytes of different content, which will be kept as a backup") {
		t.Errorf("the warning is %q, want one about the backup of 6 bytes", text)
	}
	o.Apply(set)
	wantKept(t, h, "/", "theirs")
	// A file with the same content is adopted, without a backup.
	o.Forget()
	o.Provider = resourcetest.NewOn(t, types, h)
	o.Apply(set)
	wantKept(t, h, "/", "theirs")
}

// TestBackupOfSecrets checks that a backup of write-only content has the mode of the file.
func TestBackupOfSecrets(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(nil)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := secret("/o", "one", "1")
	set["write_options"] = options(attrs{"backup": cty.True})
	o.Apply(set)
	o.NoChange(secretWith(set, "two", "1"))
	o.Changes(secretWith(set, "two", "2"), "content_wo_version")
	o.Apply(secretWith(set, "two", "2"))
	wantKept(t, h, "/", "one")
	if info, err := lstatBackup(t, h, "/"); err != nil || info.Mode != 0o600 {
		t.Errorf("the backup is %+v (%v), want mode 0600", info, err)
	}
	// The same content with a different version is neither written nor backed up.
	o.Apply(secretWith(set, "two", "3"))
	wantKept(t, h, "/", "one")
}

func secretWith(set attrs, content, version string) attrs {
	with := secret(set["path"].AsString(), content, version)
	with["write_options"] = set["write_options"]
	return with
}

// restrictedHost is a host that rejects links, and files with a certain group.
type restrictedHost struct {
	host.Host
	group uint32
}

func (g restrictedHost) Link(_ context.Context, _, newPath string) error {
	return &host.Error{Op: "link", Host: g.Name(), Path: newPath, Err: errors.ErrUnsupported}
}

func (g restrictedHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	if opts.GID != nil && *opts.GID == g.group {
		return host.FileInfo{}, &host.Error{Op: "write", Host: g.Name(), Path: path, Err: fs.ErrPermission}
	}
	return g.Host.WriteFile(ctx, path, content, opts)
}

// TestBackupByCopy checks that the backup is a copy with the same mode and owner if links
// are rejected, and a copy without setuid and setgid if the file has one of these bits.
func TestBackupByCopy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		links bool
		mode  string
		want  host.Mode
	}{
		"links rejected": {false, "0640", 0o640},
		"private":        {false, "0600", 0o600},
		"setuid":         {true, "4755", 0o755},
		"setgid":         {true, "2755", 0o755},
		"sticky":         {true, "1755", 0o1755},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := host.Host(resourcetest.NewHost(nil))
			if !tt.links {
				h = restrictedHost{Host: h}
			}
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
			set := attrs{"path": str("/o"), "content": str("one"), "mode": str(tt.mode), "owner": str("bob"), "group": str("staff"), "write_options": options(attrs{"backup": cty.True})}
			o.Apply(set)
			set["content"] = str("two")
			o.Apply(set)
			wantKept(t, h, "/", "one")
			info, err := lstatBackup(t, h, "/")
			if err != nil || info.Mode != tt.want || info.Owner != "bob" || info.Group != "staff" {
				t.Errorf("the backup is %+v (%v), want mode %s, the owner bob and the group staff", info, err, tt.want)
			}
		})
	}
}

// TestBackupWithoutOwner checks that only the user that makes the backup can read it if the backup
// cannot have the owner and group of the file.
func TestBackupWithoutOwner(t *testing.T) {
	t.Parallel()
	h := restrictedHost{Host: resourcetest.NewHost(nil), group: 2002}
	theirs := host.Attributes{Mode: new(host.Mode(0o644)), UID: new(uint32(1002)), GID: new(uint32(2002))}
	if _, err := h.Host.WriteFile(t.Context(), "/o", strings.NewReader("one"), host.WriteOptions{Attributes: theirs}); err != nil {
		t.Fatal(err)
	}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	o.Apply(attrs{"path": str("/o"), "content": str("two"), "group": str("staff"), "write_options": options(attrs{"backup": cty.True, "overwrite": cty.True})})
	wantKept(t, h, "/", "one")
	if info, err := lstatBackup(t, h, "/"); err != nil || info.Mode != 0o600 || info.UID != 0 {
		t.Errorf("the backup is %+v (%v), want mode 0600 and UID 0", info, err)
	}
}

// TestBackupFailures checks that a failed write leaves no backup, and that a failed backup
// prevents the write.
func TestBackupFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("input/output error")
	for n := 1; ; n++ {
		count, failed, armed := 0, "", false
		h := resourcetest.NewHost(func(op, _ string) error {
			if !armed {
				return nil
			}
			if count++; count == n {
				failed = op
				return broken
			}
			return nil
		})
		o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
		set := attrs{"path": str("/o"), "content": str("one"), "write_options": options(attrs{"backup": cty.True})}
		o.Apply(set)
		set["content"] = str("two")
		plan := o.Plan(set)
		armed = true
		diags := o.ApplyPlan(set, plan)
		armed = false
		switch is := contentOf(t, h, "/o"); {
		case is == "two":
			wantKept(t, h, "/", "one")
		case !diags.HasErrors():
			t.Errorf("%s failed, but the apply returned no error; the file has %q", failed, is)
		default:
			wantKept(t, h, "/")
		}
		if failed == "" {
			if n < 4 {
				t.Errorf("only %d operations, want at least 3", n-1)
			}
			return
		}
	}
}

// TestBackupIsUndone checks that the backup is removed if the write fails after it.
func TestBackupIsUndone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "o")
	f := newFile(t)
	set := attrs{"path": str(file), "content": str("one"), "write_options": options(attrs{"backup": cty.True, "validate": list("sh", "-c", `rm "$1"`, "sh", "%s")})}
	plain := attrs{"path": str(file), "content": str("one"), "write_options": options(attrs{"backup": cty.True})}
	f.Apply(plain)
	set["content"] = str("two")
	// The command removes the temporary file, so the rename fails.
	if diags := f.ApplyPlan(set, f.Plan(set)); !diags.HasErrors() {
		t.Error("the apply returned no error although the temporary file was removed")
	}
	resourcetest.WantFile(t, file, "one", 0o644)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v (%v), want only the file", entries, err)
	}
}

// hookedHost is a host that calls beforeLink before and afterLink after it makes a link, and returns
// the error lost after it has written a file. Each of the three may be nil.
type hookedHost struct {
	host.Host
	beforeLink, afterLink func()
	lost                  error
}

func (u *hookedHost) Link(ctx context.Context, oldPath, newPath string) error {
	if u.beforeLink != nil {
		u.beforeLink()
	}
	err := u.Host.Link(ctx, oldPath, newPath)
	if u.afterLink != nil {
		u.afterLink()
	}
	return err
}

func (u *hookedHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	info, err := u.Host.WriteFile(ctx, path, content, opts)
	if err == nil && u.lost != nil {
		err = &host.Error{Op: "write", Host: u.Name(), Path: path, Err: u.lost}
	}
	return info, err
}

// plannedBackup returns the plan of an update that keeps a backup of the file /o, whose content is "one".
func plannedBackup(t *testing.T) (h *hookedHost, o *resourcetest.Object, set attrs, plan provider.PlanResourceChangeResponse) {
	t.Helper()
	h = &hookedHost{Host: resourcetest.NewHost(nil)}
	o = resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set = attrs{"path": str("/o"), "content": str("one"), "write_options": options(attrs{"backup": cty.True})}
	o.Apply(set)
	set["content"] = str("two")
	return h, o, set, o.Plan(set)
}

// TestBackupKeptAfterLostConnection checks that the backup is kept, and that the error has
// its path, if the file may have been replaced.
func TestBackupKeptAfterLostConnection(t *testing.T) {
	t.Parallel()
	h, o, set, plan := plannedBackup(t)
	h.lost = errors.New("the connection was lost")
	diags := o.ApplyPlan(set, plan)
	resourcetest.WantError(t, diags, "", "the connection was lost")
	resourcetest.WantError(t, diags, "", "the previous content of /o on host town is kept at /.o.backup-")
	wantKept(t, h, "/", "one")
}

// TestBackupKeptAfterChange checks that the backup is kept, and that the error has its path, if another process replaces
// the file after its backup.
func TestBackupKeptAfterChange(t *testing.T) {
	t.Parallel()
	h, o, set, plan := plannedBackup(t)
	resourcetest.WriteOn(t, h, "/theirs", "theirs")
	h.afterLink = func() { resourcetest.Must(t, h.Rename(t.Context(), "/theirs", "/o")) }
	diags := o.ApplyPlan(set, plan)
	resourcetest.WantError(t, diags, "path", "was changed after the plan was made")
	resourcetest.WantError(t, diags, "", "the previous content of /o on host town is kept at /.o.backup-")
	wantKept(t, h, "/", "one")
}

// TestBackupOfRemovedFile checks that a file that is removed between Lstat and backup is
// written without a backup.
func TestBackupOfRemovedFile(t *testing.T) {
	t.Parallel()
	h := &hookedHost{Host: resourcetest.NewHost(nil)}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_file")
	set := attrs{"path": str("/o"), "content": str("one"), "write_options": options(attrs{"backup": cty.True})}
	o.Apply(set)
	set["content"] = str("two")
	h.beforeLink = func() { _ = h.Remove(context.Background(), "/o") }
	o.Apply(set)
	wantKept(t, h, "/")
	if got := contentOf(t, h, "/o"); got != "two" {
		t.Errorf("the file has %q, want two", got)
	}
}
