package roottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// errNotDebian means that the host is not supported. Roots have the same release as the
// host, because a test binary with the race detector needs the C library with which it
// was built.
var errNotDebian = errors.New("roots require a host with Debian or a derivative")

// release returns the code name of the host's release.
func release() (string, error) {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNotDebian, err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		fields[name] = strings.Trim(value, `"'`)
	}
	codename := fields["VERSION_CODENAME"]
	if !slices.Contains(append(strings.Fields(fields["ID_LIKE"]), fields["ID"]), "debian") || codename == "" ||
		strings.ContainsAny(codename, "/ ") {
		return "", errNotDebian
	}
	return codename, nil
}

// hostSources returns the archives of the distribution in the apt sources of
// the host.
func hostSources(codename string) ([]source, error) {
	const dir = "/etc/apt"
	paths := []string{filepath.Join(dir, "sources.list")}
	more, err := filepath.Glob(filepath.Join(dir, "sources.list.d", "*"))
	if err != nil {
		return nil, err
	}
	var found []source
	for _, path := range append(paths, more...) {
		parse := parseList
		switch filepath.Ext(path) {
		case ".list":
		case ".sources":
			parse = parseStanzas
		default:
			continue // apt ignores such files, too
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, s := range parse(string(text)) {
			if s.of(codename) {
				found = append(found, s)
			}
		}
	}
	return found, nil
}

// configure copies the apt configuration of the host to a minimal system, and
// prevents packages from starting services.
func configure(ctx context.Context, dir string, archives []source) error {
	var lists, stanzas strings.Builder
	for _, a := range archives {
		if strings.HasPrefix(a.raw, "deb ") || strings.HasPrefix(a.raw, "deb\t") {
			lists.WriteString(a.raw)
		} else {
			stanzas.WriteString(a.raw + "\n")
		}
	}
	settings, err := aptSettings(ctx)
	if err != nil {
		return err
	}
	files := []file{
		{"usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755},
		{"etc/apt/apt.conf.d/90host", settings, 0o644},
		// Roots need not survive a crash of the host.
		{"etc/dpkg/dpkg.cfg.d/unsafe-io", "force-unsafe-io\n", 0o644},
	}
	if len(archives) > 0 {
		files = append(files,
			file{"etc/apt/sources.list", lists.String(), 0o644},
			file{"etc/apt/sources.list.d/host.sources", stanzas.String(), 0o644})
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Path), []byte(f.Content), os.FileMode(f.Mode)); err != nil {
			return err
		}
	}
	// Copy the keys of the archives and the settings to access them.
	var errs []error
	for _, path := range []string{
		"/etc/apt/trusted.gpg", "/etc/apt/trusted.gpg.d", "/etc/apt/keyrings", "/usr/share/keyrings",
		"/etc/apt/auth.conf", "/etc/apt/auth.conf.d", "/etc/apt/mirrors", "/etc/ssl/certs/ca-certificates.crt",
	} {
		if !exists(path) {
			continue
		}
		target := filepath.Join(dir, filepath.Dir(path))
		errs = append(errs,
			os.MkdirAll(target, 0o755), // the mode of the directories on the host
			quietly(exec.CommandContext(ctx, "cp", "--archive", "--dereference", path, target+"/")))
	}
	return errors.Join(errs...)
}

// aptSettings returns the settings of the host for access to archives, such as
// proxies and Check-Valid-Until.
func aptSettings(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-config", "dump", "Acquire").Output()
	if err != nil {
		return "", fmt.Errorf("read the apt settings of the host: %w", err)
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(out) {
		for _, prefix := range []string{"Check-", "http", "Retries", "Languages", "GzipIndexes", "By-Hash", "Force"} {
			if bytes.HasPrefix(line, []byte("Acquire::"+prefix)) && !bytes.Contains(line, []byte("Auto-Detect")) {
				kept.Write(line)
			}
		}
	}
	return kept.String(), nil
}
