package packages_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/packages"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

const apkRepository, apkKey = "/etc/apk/repositories.d/it.list", "/etc/apk/keys/it.rsa.pub"

// repositoryOf returns the attributes of a posix_package_repository; the key may be empty.
func repositoryOf(manager, uri, key string) resourcetest.Attrs {
	set := resourcetest.Attrs{
		"name": cty.StringVal("it"), "manager": cty.StringVal(manager), "uris": cty.ListVal([]cty.Value{cty.StringVal("https://" + uri + ".example.com")}),
	}
	if key != "" {
		set["key"] = cty.StringVal(publicKey(key))
	}
	return set
}

func publicKey(text string) string {
	return "-----BEGIN PUBLIC KEY-----\n" + text + "\n-----END PUBLIC KEY-----\n"
}

// wantContent fails the test unless a file has this content.
func wantContent(t *testing.T, h host.Host, path address.Path, want string) {
	t.Helper()
	_, text, err := textedit.Read(t.Context(), h, path)
	if string(text) != want || err != nil {
		t.Errorf("%s has %q (%v), want %q", path, text, err, want)
	}
}

// TestRepositoryChangedAfterPlan checks that an update does not replace a definition or a key that
// the plan has not shown.
func TestRepositoryChangedAfterPlan(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, changed    resourcetest.Attrs
		path, attribute string
	}{
		"definition":          {repositoryOf("apk", "old", ""), repositoryOf("apk", "new", ""), apkRepository, "name"},
		"definition with key": {repositoryOf("apk", "old", "abc"), repositoryOf("apk", "new", "abc"), apkRepository, "name"},
		"key":                 {repositoryOf("apk", "old", "abc"), repositoryOf("apk", "old", "def"), apkKey, "key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewRootHost(t, tt.path)
			resourcetest.SavedPlan{
				Types: types, Host: h, TypeName: "posix_package_repository", Old: tt.old, New: tt.changed, Path: tt.path, Attribute: tt.attribute,
			}.Run(t)
		})
	}
}

// TestRepositoryEditedSection checks that an update of a section keeps edits of other sections, and
// does not replace an edit of its own lines that the plan has not shown.
func TestRepositoryEditedSection(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewRootHost(t, "/etc/pacman.conf")
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", "[options]\n")
	first, second, third := repositoryOf("pacman", "a", ""), repositoryOf("pacman", "b", ""), repositoryOf("pacman", "c", "")
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	o.Apply(first)
	plan := o.Plan(second)
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", "[options]\n# by hand\n\n[it]\nServer = https://a.example.com\n")
	resourcetest.NoErrors(t, o.ApplyPlan(second, plan))
	const edited = "[options]\n# by hand\n\n[it]\nServer = https://by-hand.example.com\n"
	plan = o.Plan(third)
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", edited)
	resourcetest.WantError(t, o.ApplyPlan(third, plan), "name", "/etc/pacman.conf on host local was changed after the plan was made")
	wantContent(t, h, "/etc/pacman.conf", edited)
	o.Apply(third)
}

// TestRepositoryCreatedMeanwhile checks that a create keeps a file that another program creates at
// the same time, and that it removes its own key again.
func TestRepositoryCreatedMeanwhile(t *testing.T) {
	t.Parallel()
	h := &resourcetest.EditedHost{Host: resourcetest.NewRootHost(t, apkRepository)}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	set := repositoryOf("apk", "new", "abc")
	plan := o.Plan(set)
	h.BeforeWrite = func() { resourcetest.WriteOn(t, h.Host, apkRepository, "# theirs\n") }
	resourcetest.WantError(t, o.ApplyPlan(set, plan), "name", apkRepository+" on host local was changed after the plan was made", "nothing was written")
	wantContent(t, h, apkRepository, "# theirs\n")
	if _, err := h.Lstat(t.Context(), apkKey); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lstat of the key: %v, want an error about a missing file", err)
	}
}

// updatingHost is a host on which another program writes a file during an update of the package index. The
// update then fails.
type updatingHost struct {
	host.Host
	write func()
}

func (h *updatingHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if program := remotecmd.Program(cmd); !slices.Contains(program, "update") && !slices.Contains(program, "-Sy") {
		return h.Host.Run(ctx, cmd)
	}
	h.write()
	return host.Result{ExitCode: 1}, nil
}

// TestRepositoryRevertKeepsOthers checks that a create whose update of the index fails removes only what it has written,
// and not the content with which another program has replaced it.
func TestRepositoryRevertKeepsOthers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set  resourcetest.Attrs
		path address.Path
		text string // of the other program
	}{
		"key":        {repositoryOf("apk", "a", "abc"), apkKey, publicKey("theirs")},
		"definition": {repositoryOf("apk", "a", "abc"), apkRepository, "https://theirs.example.com\n"},
		"section":    {repositoryOf("pacman", "a", ""), "/etc/pacman.conf", "[options]\n\n[it]\nServer = https://theirs.example.com\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := resourcetest.NewRootHost(t, apkRepository)
			h := &updatingHost{root, func() { resourcetest.WriteOn(t, root, tt.path.String(), tt.text) }}
			resourcetest.WriteOn(t, h, "/etc/pacman.conf", "[options]\n")
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
			plan := o.Plan(tt.set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			resourcetest.WantError(t, o.ApplyPlan(tt.set, plan), "", "cannot be restored: "+tt.path.String()+": "+host.ErrChanged.Error())
			wantContent(t, h, tt.path, tt.text)
			for _, path := range []address.Path{apkRepository, apkKey} {
				if _, err := h.Lstat(t.Context(), path.String()); path != tt.path && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("lstat of %s: %v, want an error about a missing file", path, err)
				}
			}
		})
	}
}

// TestRepositoryFileTaken checks that a destroy keeps the file of the repository if a posix_file that replaces the
// resource has adopted it in the same run.
func TestRepositoryFileTaken(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewRootHost(t, apkRepository)
	p := resourcetest.NewOn(t, runtime.Definition{Resources: map[string]runtime.ResourceRegistration{
		"file": file.Resource(), "package_repository": packages.RepositoryResource(),
	}}, h)
	repository, replacement := resourcetest.NewObject(t, p, "posix_package_repository"), resourcetest.NewObject(t, p, "posix_file")
	repository.Apply(repositoryOf("apk", "a", ""))
	repository.NextRun()
	const text = "https://a.example.com\n"
	set := resourcetest.Attrs{"path": cty.StringVal(apkRepository), "content": cty.StringVal(text)}
	resourcetest.NoErrors(t, replacement.ApplyPlan(set, replacement.Plan(set)))
	diags := repository.DeleteNow()
	if len(diags) != 1 || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, apkRepository+" on host local was created or adopted") {
		t.Errorf("diagnostics %v, want one warning that names the file", diags)
	}
	wantContent(t, h, apkRepository, text)
}

// TestRepositoryOtherKey checks that an update that adds a key keeps a key file of another program.
func TestRepositoryOtherKey(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewRootHost(t, apkKey)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	o.Apply(repositoryOf("apk", "it", ""))
	resourcetest.WriteOn(t, h, apkKey, publicKey("theirs"))
	set := repositoryOf("apk", "it", "ours")
	o.Refresh()
	resourcetest.WantError(t, o.ApplyPlan(set, o.Plan(set)), "key", apkKey+" on host local already has another key")
	wantContent(t, h, apkKey, publicKey("theirs"))
	resourcetest.Must(t, h.Remove(t.Context(), apkKey))
	o.Apply(set)
	wantContent(t, h, apkKey, publicKey("ours"))

	// With another key_name, an existing file is not replaced, whether or not it has the key of the state.
	const vendor = "/etc/apk/keys/vendor.rsa.pub"
	for _, key := range []string{"theirs", "ours"} {
		resourcetest.WriteOn(t, h, vendor, publicKey(key))
		renamed := repositoryOf("apk", "it", "next")
		renamed["key_name"] = cty.StringVal("vendor.rsa.pub")
		o.Refresh()
		resourcetest.WantError(t, o.ApplyPlan(renamed, o.Plan(renamed)), "key", vendor+" on host local already has another key")
		wantContent(t, h, vendor, publicKey(key))
	}
}

// TestRepositoryKeyNotReferenced checks that an update replaces the applied key although the plan does
// not show that key: the definition no longer refers to its file.
func TestRepositoryKeyNotReferenced(t *testing.T) {
	t.Parallel()
	const file, key = "/etc/apt/sources.list.d/it.sources", "/etc/apt/keyrings/it.asc"
	h := resourcetest.NewRootHost(t, file)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	set := func(key string) resourcetest.Attrs {
		attrs := repositoryOf("apt", "it", key)
		attrs["suites"] = cty.ListVal([]cty.Value{cty.StringVal("./")})
		return attrs
	}
	o.Apply(set("old"))
	wantContent(t, h, key, publicKey("old"))
	resourcetest.WriteOn(t, h, file, "Types: deb\nURIs: https://it.example.com\nSuites: ./\n")
	o.Apply(set("new"))
	wantContent(t, h, key, publicKey("new"))
}

// TestRepositoryKeyOverwritten checks that an update and a destroy find the key file although it was overwritten with
// text that is not a key, and that they keep the file for keys of the other kind.
func TestRepositoryKeyOverwritten(t *testing.T) {
	t.Parallel()
	const file, key, other = "/etc/apt/sources.list.d/it.sources", "/etc/apt/keyrings/it.asc", "/etc/apt/keyrings/it.gpg"
	h := resourcetest.NewRootHost(t, file)
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	set := repositoryOf("apt", "it", "ours")
	set["suites"] = cty.ListVal([]cty.Value{cty.StringVal("./")})
	o.Apply(set)
	resourcetest.WriteOn(t, h, key, "<html>not found</html>\n")
	resourcetest.WriteOn(t, h, other, "theirs")
	o.Apply(set)
	wantContent(t, h, key, publicKey("ours"))
	wantContent(t, h, other, "theirs")
	resourcetest.WriteOn(t, h, key, "<html>not found</html>\n")
	o.Refresh()
	resourcetest.NoErrors(t, o.Destroy())
	wantContent(t, h, other, "theirs")
	if _, err := h.Lstat(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lstat of the key: %v, want an error about a missing file", err)
	}
}

// interruptedHost is a host on which interrupt is called after each write of the file at path.
type interruptedHost struct {
	host.Host
	path      string
	interrupt func()
}

// WriteFile implements [host.Files].
func (h *interruptedHost) WriteFile(ctx context.Context, path string, content io.Reader, opts host.WriteOptions) (host.FileInfo, error) {
	info, err := h.Host.WriteFile(ctx, path, content, opts)
	if path == h.path {
		h.interrupt()
	}
	return info, err
}

// TestRepositoryKeyUnsetInterrupted checks that an update that unsets the key removes the key file even if the update
// is interrupted after it has written the definition. The next refresh could not find the key file through the new
// definition.
func TestRepositoryKeyUnsetInterrupted(t *testing.T) {
	t.Parallel()
	const file, key = "/etc/apt/sources.list.d/it.sources", "/etc/apt/keyrings/it.asc"
	h := &interruptedHost{Host: resourcetest.NewRootHost(t, file), path: file, interrupt: func() {}}
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	set := repositoryOf("apt", "it", "old")
	set["suites"], set["enabled"] = cty.ListVal([]cty.Value{cty.StringVal("./")}), cty.False // the index of an enabled repository would be updated
	o.Apply(set)
	wantContent(t, h, key, publicKey("old"))
	delete(set, "key")
	plan := o.Plan(set)
	resourcetest.NoErrors(t, plan.Diagnostics)
	h.interrupt = func() { resourcetest.Must(t, o.Provider.Stop(t.Context())) }
	resourcetest.NoErrors(t, o.ApplyPlan(set, plan))
	if _, err := h.Lstat(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lstat of the key: %v, want an error about a missing file", err)
	}
}

// TestRepositoryKeyOfAdopted checks that the plan of a new key shows that the update also renders a definition that was
// adopted in another form, and that no other plan has this change.
func TestRepositoryKeyOfAdopted(t *testing.T) {
	t.Parallel()
	const text = "# by hand\nhttps://a.example.com\n"
	h := resourcetest.NewRootHost(t, apkRepository)
	_, err := host.MakeParents(t.Context(), h, apkKey, host.Attributes{})
	resourcetest.Must(t, err)
	resourcetest.WriteOn(t, h, apkRepository, text)
	resourcetest.WriteOn(t, h, apkKey, publicKey("old"))
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	o.Apply(repositoryOf("apk", "a", "old"))
	wantContent(t, h, apkRepository, text)
	renewed := repositoryOf("apk", "a", "new")
	o.Changes(renewed, "content", "key")
	o.Apply(renewed)
	wantContent(t, h, apkRepository, "https://a.example.com\n")
	wantContent(t, h, apkKey, publicKey("new"))
}

// TestRepositoryOptionOfAdopted checks that a repository that is adopted in another form has no drift if an option has
// the value that an attribute would write.
func TestRepositoryOptionOfAdopted(t *testing.T) {
	t.Parallel()
	const text = "[options]\n\n[it]\n# by hand\nSigLevel=Never\nServer = https://a.example.com\n"
	h := resourcetest.NewRootHost(t, "/etc/pacman.conf")
	resourcetest.WriteOn(t, h, "/etc/pacman.conf", text)
	set := repositoryOf("pacman", "a", "")
	set["options"] = cty.MapVal(map[string]cty.Value{"SigLevel": cty.StringVal("Never")})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
	o.Apply(set)
	o.WantAttrs(resourcetest.Attrs{"trusted": cty.False})
	wantContent(t, h, "/etc/pacman.conf", text)
}

// TestRepositoryAsConfigured checks that a repository has no drift if an option has the value that an
// attribute would write, if the description is the name, or if a list or the map of options is empty.
func TestRepositoryAsConfigured(t *testing.T) {
	t.Parallel()
	const aptKey, dnfKey = "/etc/apt/keyrings/it.asc", "/etc/pki/rpm-gpg/RPM-GPG-KEY-it"
	empty := cty.ListValEmpty(cty.String)
	for name, tt := range map[string]struct {
		manager string
		more    resourcetest.Attrs
		options map[string]string
	}{
		"default type":       {manager: "apt", options: map[string]string{"Types": "deb"}},
		"key of apt":         {manager: "apt", options: map[string]string{"Signed-By": aptKey}},
		"key of dnf":         {manager: "dnf", options: map[string]string{"gpgkey": "file://" + dnfKey}},
		"no signatures":      {manager: "pacman", options: map[string]string{"SigLevel": "Never"}},
		"name of dnf":        {manager: "dnf", more: resourcetest.Attrs{"description": cty.StringVal("it")}},
		"empty lists":        {manager: "pacman", more: resourcetest.Attrs{"suites": empty, "components": empty, "architectures": empty, "options": cty.MapValEmpty(cty.String)}},
		"empty lists of apt": {manager: "apt", more: resourcetest.Attrs{"components": empty, "architectures": empty, "options": cty.MapValEmpty(cty.String)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := resourcetest.NewRootHost(t, "/etc/apt/sources.list.d/it.sources")
			for _, path := range []string{aptKey, dnfKey, "/etc/yum.repos.d/it.repo"} {
				_, err := host.MakeParents(t.Context(), h, path, host.Attributes{})
				resourcetest.Must(t, err)
			}
			resourcetest.WriteOn(t, h, aptKey, publicKey("abc"))
			resourcetest.WriteOn(t, h, dnfKey, publicKey("abc"))
			resourcetest.WriteOn(t, h, "/etc/pacman.conf", "[options]\n")
			set := repositoryOf(tt.manager, "a", "")
			if tt.manager == "apt" {
				set["suites"] = cty.ListVal([]cty.Value{cty.StringVal("./")})
			}
			maps.Copy(set, tt.more)
			if tt.options != nil {
				options := map[string]cty.Value{}
				for name, value := range tt.options {
					options[name] = cty.StringVal(value)
				}
				set["options"] = cty.MapVal(options)
			}
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
			o.Apply(set)
			o.Refresh()
			o.NoChange(set)
		})
	}
}
