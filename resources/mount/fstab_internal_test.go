package mount

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/host/memory"
)

func TestParseLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]*entry{
		"":                             nil,
		"  # /a /b ext4":               nil,
		"/a /b":                        nil,
		"/a /b ext4":                   {"/a", "/b", "ext4", []string{"defaults"}, 0, 0},
		"/a\t/b//c/ ext4  ro,x=1  1\n": {"/a", "/b/c", "ext4", []string{"ro", "x=1"}, 1, 0},
		`a\040b /c\011d\134 t o 0 x`:   {"a b", "/c\td\\", "t", []string{"o"}, 0, -1},
		`a\04 /\999 t o,"x,y",z 1 2 3`: {`a\04`, `/\999`, "t", []string{"o", `"x,y"`, "z"}, 1, 2},
	} {
		got, ok := parseLine(line)
		if want == nil && !ok {
			continue
		}
		if diff := cmp.Diff(want, &got, cmp.AllowUnexported(entry{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestInto(t *testing.T) {
	t.Parallel()
	e := entry{"dev", "/p", "ext4", []string{"ro"}, 0, 2}
	for line, want := range map[string]string{
		"dev  /p\text4 ro 0 2\n":     "dev  /p\text4 ro 0 2\n",
		"old  /p\text4\t\trw 0  1\n": "dev  /p\text4\t\tro 0  2\n",
		"dev /p/ ext4":               "dev /p/ ext4 ro 0 2",
		"dev /p ext4 ro\n":           "dev /p ext4 ro 0 2\n",
		"dev /p ext3 ro 1 2 # x":     "dev /p ext4 ro 0 2 # x",
	} {
		if got := string(setEntry([]byte(line), e)); got != want {
			t.Errorf("%q with the entry: %q, want %q", line, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ want, have, says string }{
		"defaults":                  {"defaults", "rw,relatime,data=ordered", ""},
		"unexpected ro":             {"defaults", "ro,relatime,rw", "ro is in effect"},
		"missing ro":                {"ro", "rw,relatime", "ro is not in effect"},
		"user":                      {"user", "rw,nosuid,nodev,noexec", ""},
		"user, exec":                {"user,exec", "rw,nosuid,nodev", ""},
		"exec, user":                {"exec,user", "rw,nosuid,nodev", "noexec is not in effect"},
		"bind mount inherits flags": {"bind", "ro,nosuid", ""},
		"bind mount with flags":     {"bind,ro,dev", "rw,nodev", "nodev is in effect, ro is not in effect"},
		"size":                      {"size=64M", "rw,size=65536k", ""},
		"size rounded to pages":     {"size=5000", "rw,size=8k", ""},
		"different size":            {"size=64m", "rw,size=8k", "size=8k is in effect instead of size=64m"},
		"size in percent":           {"size=50%", "rw,size=8k", ""},
		"longer in lower case":      {"upperdir=/İ", "rw,upperdir=/x", "upperdir=/x is in effect instead of upperdir=/İ"},
		"mode":                      {"mode=0755", "rw,mode=755", ""},
		"different mode":            {"mode=0755", "rw,mode=1755", "mode=1755 is in effect instead of mode=0755"},
		"user name":                 {"uid=alice", "rw,uid=1000", ""},
		"different number":          {"uid=1000", "rw,uid=1001", "uid=1001 is in effect instead of uid=1000"},
		"not shown by the kernel":   {"credentials=/x,user_xattr", "rw", ""},
		"opposite in effect":        {"barrier", "rw,nobarrier", "nobarrier is in effect instead of barrier"},
		"opposite without no":       {"nodelalloc", "rw,delalloc", "delalloc is in effect instead of nodelalloc"},
		"minor version":             {"vers=4", "rw,vers=4.2", ""},
		"different version":         {"vers=3", "rw,vers=4.2", "vers=4.2 is in effect instead of vers=3"},
		"subvolume":                 {"subvol=@home", "rw,subvolid=256,subvol=/@home", ""},
		"subvolume with slashes":    {"subvol=/a/@home/", "rw,subvolid=256,subvol=/a/@home", ""},
		"different subvolume":       {"subvol=@home", "rw,subvolid=257,subvol=/home/@home", "subvol=/home/@home is in effect instead of subvol=@home"},
		"compression":               {"compress=zstd,compress-force=zlib", "rw,compress=zstd:3,compress-force=zlib:3", ""},
		"different compression":     {"compress=zstd:5", "rw,compress=zstd:3", "compress=zstd:3 is in effect instead of compress=zstd:5"},
		"security context":          {`context="system_u:object_r:tmp_t:s0"`, "rw,context=system_u:object_r:tmp_t:s0", ""},
		"quoted security context":   {"context=\"u:r:t:s0:c1,c2\"", "rw,context=\"u:r:t:s0:c1,c2\"", ""},
		"different context":         {"context=\"u:r:t:s0:c1,c2\"", "rw,context=u:r:t:s0", "context=u:r:t:s0 is in effect instead of context=\"u:r:t:s0:c1,c2\""},
		"hidepid":                   {"hidepid=2", "rw,hidepid=invisible", ""},
		"hidepid before Linux 5.8":  {"hidepid=invisible", "rw,hidepid=2", ""},
		"different hidepid":         {"hidepid=2", "rw,hidepid=noaccess", "hidepid=noaccess is in effect instead of hidepid=2"},
		"missing noatime":           {"noatime", "rw,relatime", "noatime is not in effect"},
		"noatime":                   {"noatime", "rw,noatime", ""},
		"strictatime":               {"strictatime", "rw,noatime", "strictatime is not in effect"},
		"userspace options":         {"x-systemd.automount,nofail,_netdev,noauto,comment=x,loop", "rw", ""},
	} {
		if got := strings.Join(differences(splitOptions(tt.want), splitOptions(tt.have)), ", "); got != tt.says {
			t.Errorf("%s: %q, want %q", name, got, tt.says)
		}
	}
}

// TestOptionErrors checks that the errors about options do not contain the options, which may be passwords.
func TestOptionErrors(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]string{
		"password=hidden,ro": "the element has several options",
		`password="hidden`:   "a quotation mark that is not closed",
		"hidden\xff":         "must be valid UTF-8",
		"hidden\n":           "must not contain control characters",
	} {
		if err := checkOption(option); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: error %v, want %q", option, err, want)
		}
	}
}

// TestRemounting checks that a remount omits passwords and, except for a bind mount, clears restrictions that are not
// configured.
func TestRemounting(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		"defaults":                      "remount,async,dev,exec,rw,suid",
		"noexec,ro,x-a,size=1,noauto":   "remount,async,dev,suid,noexec,ro,size=1",
		"user,exec":                     "remount,async,rw,exec",
		"bind,ro":                       "remount,bind,ro",
		"username=a,password=b,passwd=": "remount,async,dev,exec,rw,suid,username=a",
	} {
		if got := strings.Join(remountOptions(splitOptions(options)), ","); got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	here := func(kind, source string) *mountInfo {
		return &mountInfo{fsType: kind, source: source, deviceNumber: "8:1"}
	}
	for name, tt := range map[string]struct {
		s    mountState
		e    entry
		want bool
	}{
		"same source":                 {mountState{visible: here("ext4", "/dev/sda1")}, entry{source: "/dev/sda1", fsType: "ext4"}, true},
		"different source":            {mountState{visible: here("ext4", "/dev/sda1")}, entry{source: "/dev/sda2", fsType: "ext4"}, false},
		"different type":              {mountState{visible: here("ext3", "/dev/sda1")}, entry{source: "/dev/sda1", fsType: "ext4"}, false},
		"one of several types":        {mountState{visible: here("xfs", "/dev/sda1")}, entry{source: "/dev/sda1", fsType: "ext4,xfs"}, true},
		"none of several types":       {mountState{visible: here("btrfs", "/dev/sda1")}, entry{source: "/dev/sda1", fsType: "ext4,xfs"}, false},
		"type auto":                   {mountState{visible: here("ext3", "/dev/sda1")}, entry{source: "/dev/sda1", fsType: "auto"}, true},
		"UUID":                        {mountState{visible: here("ext4", "/dev/sda1"), source: "/dev/sda1"}, entry{source: "UUID=x", fsType: "ext4"}, true},
		"device number":               {mountState{visible: here("ext4", "/dev/root"), deviceNumber: "8:1"}, entry{source: "/dev/sda1", fsType: "ext4"}, true},
		"different device number":     {mountState{visible: here("ext4", "/dev/root"), deviceNumber: "8:2"}, entry{source: "/dev/sda1", fsType: "ext4"}, false},
		"loop device":                 {mountState{visible: here("ext4", "/dev/loop3"), source: "/img", aliases: map[string]string{"/dev/loop3": "/img"}}, entry{source: "/img", fsType: "ext4"}, true},
		"loop device of another file": {mountState{visible: here("ext4", "/dev/loop3"), source: "/img", aliases: map[string]string{"/dev/loop3": "/i"}}, entry{source: "/img", fsType: "ext4"}, false},
		"logical volume":              {mountState{visible: here("btrfs", "/dev/mapper/vg-a"), source: "/dev/dm-0", aliases: map[string]string{"/dev/mapper/vg-a": "/dev/dm-0"}}, entry{source: "UUID=x", fsType: "btrfs"}, true},
		"different logical volume":    {mountState{visible: here("btrfs", "/dev/mapper/vg-a"), source: "/dev/dm-1", aliases: map[string]string{"/dev/mapper/vg-a": "/dev/dm-0"}}, entry{source: "UUID=x", fsType: "btrfs"}, false},
		"device of a btrfs":           {mountState{visible: here("btrfs", "/dev/mapper/a"), source: "/dev/sdb", aliases: map[string]string{"/dev/mapper/a": "/dev/dm-0"}, btrfs: map[string]string{"/dev/dm-0": "1f", "/dev/sdb": "1f"}}, entry{source: "UUID=x", fsType: "btrfs"}, true},
		"device of another btrfs":     {mountState{visible: here("btrfs", "/dev/sda"), source: "/dev/sdb", btrfs: map[string]string{"/dev/sda": "1f", "/dev/sdb": "2f"}}, entry{source: "UUID=x", fsType: "btrfs"}, false},
		"nfs":                         {mountState{visible: here("nfs4", "server:/x")}, entry{source: "server:/x/", fsType: "nfs"}, true},
		"fuse":                        {mountState{visible: here("fuse.sshfs", "a:/x")}, entry{source: "a:/x", fsType: "sshfs"}, true},
		"ntfs":                        {mountState{visible: here("fuseblk", "/dev/sda1")}, entry{source: "/dev/sda1", fsType: "ntfs-3g"}, true},
		"bind":                        {mountState{visible: here("ext4", "/dev/sda1"), sameFile: true}, entry{source: "/x", fsType: "none", options: []string{"bind"}}, true},
		"bind of another directory":   {mountState{visible: here("ext4", "/x")}, entry{source: "/x", fsType: "none", options: []string{"bind"}}, false},
		"no device numbers":           {mountState{visible: &mountInfo{fsType: "ext4", source: "x"}}, entry{source: "y", fsType: "ext4"}, false},
	} {
		if got := tt.s.matches(tt.e); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

// TestVerifyFUSE checks that the error about a FUSE file system with a different source names the option that
// sets the source.
func TestVerifyFUSE(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "box"})
	for name, tt := range map[string]struct{ fsType, source, want string }{
		"named by its program": {"fuse.s3fs", "s3fs", "with the source s3fs instead of bucket, because the program of a FUSE file system determines it. Add the option fsname=bucket"},
		"as configured":        {"fuse.s3fs", "bucket", ""},
		"another type":         {"fuse.sshfs", "s3fs", "s3fs of type fuse.sshfs is mounted at /srv/it instead"},
	} {
		m := Mount{Path: "/srv/it", Source: "bucket", Type: "fuse.s3fs", Options: []string{"defaults"}}
		err := m.verify(h, &mountState{path: "/srv/it", visible: &mountInfo{path: "/srv/it", source: tt.source, fsType: tt.fsType, options: []string{"rw"}}})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestUsersOf(t *testing.T) {
	t.Parallel()
	const printed = `/proc/1/comm:init
/proc/12/comm:nginx
/proc/13/comm:a b
lrwxrwxrwx 1 root root 0 Nov 22 00:00 /proc/1/cwd -> /
lrwxrwxrwx 1 root root 0 Nov 22 00:00 /proc/12/root -> /srv/x

/proc/13/fd:
total 0
lr-x------ 1 root root 64 Nov 22 00:00 0 -> /dev/null
lr-x------ 1 root root 64 Nov 22 00:00 3 -> /srv/x/log (deleted)

/proc/14/fd:
lr-x------ 1 root root 64 Nov 22 00:00 3 -> /srv/xy
`
	if diff := cmp.Diff([]string{"a b (process 13)", "nginx (process 12)"}, parseOpenFiles(printed, "/srv/x")); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
}

// FuzzFstab checks that an entry is parsed as it was written, and that adding and removing the entry leaves
// the other lines unchanged, byte for byte, except for a newline at the end.
func FuzzFstab(f *testing.F) {
	f.Add([]byte("# x\n\n/dev/sda1 /boot\\040me ext4 ro 0 1\nswap none swap sw 0 0"), "UUID=1", "/srv/a b", "ext4", "ro,x=\"a,b\"", int64(0), int64(2))
	f.Add([]byte("a /srv b\r\nc /srv d e f g h"), "#x", "/srv", "t", "o", int64(1), int64(1))
	f.Add([]byte("\\"), `\040`, "/\\", "é", "defaults", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, text []byte, source, at, kind, options string, dump, pass int64) {
		e := entry{source, "/" + strings.Trim(at, "/."), kind, splitOptions(options), dump & 1, pass & 7}
		if checkField(source) != nil || checkField(e.path) != nil || checkType(kind) != nil || strings.Contains(e.path, "//") || strings.Contains(e.path, "/.") {
			return
		}
		if slices.ContainsFunc(e.options, func(o string) bool { return checkOption(o) != nil }) {
			return
		}
		_, count := findEntry(text, e.path)
		is := setEntry(text, e)
		if got, now := findEntry(is, e.path); !got.equal(e) || now != max(count, 1) {
			t.Fatalf("entry %+v is parsed as %+v (%d lines, want %d) in\n%s", e, got, now, max(count, 1), is)
		}
		if again := setEntry(is, e); !bytes.Equal(again, is) {
			t.Fatalf("after setting the entry again:\n%q, want\n%q", again, is)
		}
		if rest, was := removeEntry(is, e.path), removeEntry(text, e.path); !bytes.Equal(rest, was) && !(count == 0 && string(rest) == string(was)+"\n") {
			t.Fatalf("after removing the entry:\n%q, want\n%q", rest, was)
		}
	})
}

// FuzzMountinfo checks that a line is parsed as it was written, with all octal escapes of the kernel unescaped.
func FuzzMountinfo(f *testing.F) {
	f.Add("/mnt", "tmpfs", "size=1k", "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n")
	f.Add("/a b", "x\\", "", " - ")
	f.Fuzz(func(t *testing.T, at, source, option, text string) {
		for _, m := range parseMountinfo(text) {
			if strings.Count(text, " ") < 8 {
				t.Errorf("%q is parsed as %+v, want no mount", text, m)
			}
		}
		want := mountInfo{id: "36", deviceNumber: "8:1", root: "/" + source, path: "/" + at, fsType: "ext4", source: source, options: append([]string{"rw"}, splitOptions(option)...), propagation: "shared"}
		line := "36 35 8:1 " + escape(want.root) + " " + escape(want.path) + " rw shared:1 master:2 - ext4 " + escape(source) + " " + escape(option) + "\n"
		got := parseMountinfo(line)
		if len(got) != 1 {
			t.Fatalf("%q is parsed as %+v, want one mount", line, got)
		}
		if diff := cmp.Diff(want, got[0], cmp.AllowUnexported(mountInfo{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	})
}

// TestPropagation checks which mounts count as shared.
func TestPropagation(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{"": "slave", "shared:1 ": "shared", "shared:2 master:1 ": "shared", "master:1 propagate_from:2 ": "slave", "unbindable ": "slave"} {
		all := parseMountinfo("36 35 8:1 / /mnt rw " + fields + "- ext4 /dev/sda1 rw\n")
		if len(all) != 1 || all[0].propagation != want {
			t.Errorf("with %q, the mounts are %+v, want one with %s", fields, all, want)
		}
	}
}

// TestAutomount checks that an automount point of systemd is not a mount.
func TestAutomount(t *testing.T) {
	t.Parallel()
	const waits = "36 35 0:40 / /mnt rw - autofs systemd-1 rw,fd=5\n"
	if m := visibleMount(parseMountinfo(waits), "/mnt"); m != nil {
		t.Errorf("the visible mount is %+v, want none", *m)
	}
	if m := visibleMount(parseMountinfo(waits+"37 36 8:1 / /mnt rw - ext4 /dev/sda1 rw\n"), "/mnt"); m == nil || m.fsType != "ext4" {
		t.Errorf("the visible mount is %+v, want one of type ext4", m)
	}
}
