package roottest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// enter creates the root and changes to it. It runs in new namespaces, which end with the
// root, so no mount has to be undone.
func (s *spec) enter() error {
	unix.Umask(0)
	defer unix.Umask(0o022)
	if err := mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	root := s.Root
	if root == "" {
		var err error
		if root, err = s.layers(); err != nil {
			return err
		}
	}
	if err := populate(root, s.PrivateNet); err != nil {
		return err
	}
	if s.Root != "" {
		if err := s.mountBoot(root); err != nil {
			return err
		}
	}
	for _, b := range s.Binds {
		from, to, ok := strings.Cut(b, ":")
		if !ok {
			to = from
		}
		if err := bind(from, filepath.Join(root, to)); err != nil {
			return err
		}
	}
	if err := pivot(root); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(s.Hostname)); err != nil {
		return fmt.Errorf("set the hostname: %w", err)
	}
	if s.PrivateNet {
		if err := loopbackUp(); err != nil {
			return err
		}
	}
	return s.write()
}

// layers mounts the system as an overlay with changes in memory and returns the mount
// point. If the base is writable, it mounts only the base.
func (s *spec) layers() (string, error) {
	if s.Writable {
		return s.Base, mount(s.Base, s.Base, "", unix.MS_BIND, "")
	}
	if err := mount("roottest", s.Mount, "tmpfs", 0, "mode=755"); err != nil {
		return "", err
	}
	upper, work, root := filepath.Join(s.Mount, "upper"), filepath.Join(s.Mount, "work"), mountedRoot(s.Mount)
	for _, dir := range []string{upper, work, root} {
		if err := os.Mkdir(dir, 0o755); err != nil { // the mode of a root directory
			return "", err
		}
	}
	// With redirect_dir, directories of the base can be renamed.
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,redirect_dir=on", escape(s.Base), escape(upper), escape(work))
	if err := mount("overlay", root, "overlay", 0, options); err != nil {
		return "", err
	}
	// s.Mount is in the repository, which is later bound in the root. An
	// unbindable mount is not part of that bind.
	return root, mount("", s.Mount, "", unix.MS_UNBINDABLE, "")
}

// mountedRoot returns the path below the mount point of a root at which the system is mounted.
func mountedRoot(mount string) string { return filepath.Join(mount, "root") }

// escape returns a path with the special characters of the options of an overlay escaped.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `:`, `\:`).Replace(path)
}

// populate mounts /proc, /sys, /dev, /run and /tmp, creates the devices, and makes the
// settings of the host read-only.
func populate(root string, privateNet bool) error {
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, m := range []struct {
		kind, at string
		flags    uintptr
		options  string
	}{
		{"proc", "proc", quiet, ""},
		{"sysfs", "sys", quiet, ""},
		{"tmpfs", "dev", unix.MS_NOSUID, "mode=755"},
		{"devpts", "dev/pts", unix.MS_NOSUID | unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,gid=5"},
		{"tmpfs", "dev/shm", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
		{"tmpfs", "run", unix.MS_NOSUID | unix.MS_NODEV, "mode=755"},
		{"tmpfs", "tmp", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
	} {
		at := filepath.Join(root, m.at)
		if err := os.MkdirAll(at, 0o755); err != nil { // the mount has its own mode
			return err
		}
		if err := mount(m.kind, at, m.kind, m.flags, m.options); err != nil {
			return err
		}
	}
	return errors.Join(devices(filepath.Join(root, "dev")), protect(root, privateNet),
		os.Mkdir(filepath.Join(root, "run/lock"), 0o1777|os.ModeSticky),
		os.Mkdir(filepath.Join(root, "run/sshd"), 0o755))
}

// devices creates the standard devices and links, but no devices for the host's hardware.
func devices(dev string) error {
	var errs []error
	for name, number := range map[string]uint64{
		"null": unix.Mkdev(1, 3), "zero": unix.Mkdev(1, 5), "full": unix.Mkdev(1, 7),
		"random": unix.Mkdev(1, 8), "urandom": unix.Mkdev(1, 9), "tty": unix.Mkdev(5, 0),
	} {
		if err := unix.Mknod(filepath.Join(dev, name), unix.S_IFCHR|0o666, int(number)); err != nil {
			errs = append(errs, fmt.Errorf("create the device %s: %w", name, err))
		}
	}
	for name, target := range map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd",
		"stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		errs = append(errs, os.Symlink(target, filepath.Join(dev, name)))
	}
	return errors.Join(errs...)
}

// protect makes /sys, /proc/sys and /proc/sysrq-trigger read-only, except for settings of
// the namespaces of the root.
func protect(root string, privateNet bool) error {
	closed := []string{"sys", "proc/sys", "proc/sysrq-trigger"}
	open := []string{"hostname", "domainname", "sem", "msgmax", "msgmnb", "msgmni", "shmall", "shmmax", "shmmni", "shm_rmid_forced"}
	for i, name := range open {
		open[i] = "proc/sys/kernel/" + name
	}
	if privateNet {
		open = append(open, "proc/sys/net")
	}
	const flags = unix.MS_BIND | unix.MS_REMOUNT | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	remount := func(at string, more uintptr) error {
		path := filepath.Join(root, at)
		if !exists(path) {
			return nil // this kernel does not have the setting
		}
		return errors.Join(mount(path, path, "", unix.MS_BIND, ""), mount("", path, "", flags|more, ""))
	}
	var errs []error
	for _, at := range closed {
		errs = append(errs, remount(at, unix.MS_RDONLY))
	}
	for _, at := range open {
		errs = append(errs, remount(at, 0))
	}
	return errors.Join(errs...)
}

// bind mounts a file or directory of the host in the root, with all mounts
// below it.
func bind(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	dir := to
	if !info.IsDir() {
		dir = filepath.Dir(to)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { // the mode of parent directories
		return err
	}
	if !info.IsDir() {
		f, err := os.OpenFile(to, os.O_CREATE, 0o755) // the bound file has its own mode
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return mount(from, to, "", unix.MS_BIND|unix.MS_REC, "")
}

// pivot makes a directory the root and unmounts the host's file systems.
func pivot(root string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	// The old root is mounted over the new one.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount the file systems of the host: %w", err)
	}
	return os.Chdir("/")
}

// loopbackUp starts the loopback interface of a new network namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("start the loopback interface: %w", err)
	}
	return nil
}

// write writes the files of the root and, if there is a token, the token file. It runs after pivot.
func (s *spec) write() error {
	files := s.Files
	if s.Token != "" {
		space, err := os.Readlink("/proc/self/ns/mnt")
		if err != nil {
			return err
		}
		files = append(files, file{Path: tokenFile, Content: s.Token + "\n" + space, Mode: 0o444})
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil { // the mode of system directories
			return err
		}
		if err := os.Remove(f.Path); err != nil && !os.IsNotExist(err) { // a link must not be followed
			return err
		}
		if err := os.WriteFile(f.Path, []byte(f.Content), os.FileMode(f.Mode)); err != nil {
			return err
		}
	}
	return nil
}

// mount calls mount(2). Its error contains the source, the options and the mount point.
func mount(from, at, kind string, flags uintptr, options string) error {
	if err := unix.Mount(from, at, kind, flags, options); err != nil {
		return fmt.Errorf("mount %s%s at %s: %w", from, strings.TrimSuffix(" "+options, " "), at, err)
	}
	return nil
}
