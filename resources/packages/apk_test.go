package packages_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// apk cannot run in these tests. Its transcripts are written by hand, as their headers
// state: they only show which commands are called in which order.

func TestLifeWithApk(t *testing.T) {
	h := transcript.Host(t, "testdata/apk-package.transcript", transcript.Options{})
	run := func(args ...string) func() error {
		return func() error { _, err := remotecmd.Run(context.Background(), h, args...); return err }
	}
	resourcetest.Life{
		Provider:    resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }),
		Config:      packageBlock("nginx", "manager = \"apk\"\nversion = \"1.24.*\"\nhold = true"),
		Address:     "posix_package.nginx",
		ImportID:    "nginx",
		NotImported: []string{"version"},
		Drifts: map[string]resourcetest.Drift{
			"hold lifted": {Make: run("apk", "add", "nginx"), Plan: "update hold installed_version"},
			"removed":     {Make: run("apk", "del", "nginx"), Plan: "create"},
			"upgraded":    {Make: run("apk", "add", "nginx=1.26.0-r0"), Plan: "update installed_version version"},
		},
		Exists: func() (bool, error) {
			r, err := remotecmd.Call{Args: []string{"apk", "info", "-e", "nginx"}, Answers: []int{1}}.Run(context.Background(), h)
			return r.ExitCode == 0, err
		},
	}.Run(t)
}

func TestRepositoryLifeWithApk(t *testing.T) {
	h := transcript.Host(t, "testdata/apk-repository.transcript", transcript.Options{})
	const file, key = "/etc/apk/repositories.d/it.list", "/etc/apk/keys/it.rsa.pub"
	write := func(path, text string) func() error {
		return func() error {
			_, err := h.WriteFile(context.Background(), path, strings.NewReader(text), host.WriteOptions{})
			return err
		}
	}
	there := func(path string) (bool, error) {
		_, err := h.Lstat(context.Background(), path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	resourcetest.Life{
		Provider: resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil }),
		Config: repositoryBlock("manager = \"apk\"\nuris = [\"https://apk.example.com/main\", \"https://apk.example.com/community\"]\n" +
			"key = \"-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----\\n\""),
		Address:  "posix_package_repository.it",
		ImportID: "it",
		Drifts: map[string]resourcetest.Drift{
			"key":     {Make: write(key, "-----BEGIN PUBLIC KEY-----\nother\n-----END PUBLIC KEY-----\n"), Plan: "update key"},
			"removed": {Make: func() error { return h.Remove(context.Background(), file) }, Plan: "create"},
			"uris":    {Make: write(file, "https://elsewhere.example.com\n"), Plan: "update content uris"},
		},
		Exists: func() (bool, error) { return there(file) },
	}.Run(t)
	if left, err := there(key); left || err != nil {
		t.Errorf("the key exists after the destroy: %t (%v), want false", left, err)
	}
}

// TestOtherKey checks that the plan of a create returns an error if the host has a different key of the same name.
func TestOtherKey(t *testing.T) {
	const key, theirs = "/etc/apk/keys/it.rsa.pub", "-----BEGIN PUBLIC KEY-----\nother\n-----END PUBLIC KEY-----\n"
	h := memory.New(memory.Config{Name: host.LocalName})
	if _, err := host.MakeParents(t.Context(), h, key, host.Attributes{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.WriteFile(t.Context(), key, strings.NewReader(theirs), host.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	config := repositoryBlock("manager = \"apk\"\nuris = [\"https://apk.example.com/main\"]\n" +
		"key = \"-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----\\n\"")
	serve := resourcetest.ProviderOn(types, func() (host.Host, error) { return h, nil })
	resourcetest.Fails(t, serve, config, true, key+" on host local already has another key")
}
