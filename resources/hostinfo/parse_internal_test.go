package hostinfo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func addressOf(name, text string, prefix int64, family, scope string) Address {
	return Address{Interface: name, Address: text, PrefixLength: &prefix, Family: family, Scope: scope}
}

var loopback = []Address{addressOf("lo", "127.0.0.1", 8, "ipv4", "host"), addressOf("lo", "::1", 128, "ipv6", "host")}

// TestAddresses checks which addresses are parsed from the output of tools on different operating systems.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		read func(string) []Address
		text string
		want []Address
	}{
		"ip": {ipAddresses, `1: lo    inet 127.0.0.1/8 scope host lo\       valid_lft forever preferred_lft forever
1: lo    inet6 ::1/128 scope host \       valid_lft forever preferred_lft forever
4: eth0@if5    inet 192.0.2.2/24 brd 192.0.2.255 scope global dynamic eth0\       valid_lft 81234sec preferred_lft 81234sec
4: eth0    inet6 fe80::fc:ff:fe00:1/64 scope link \       valid_lft forever preferred_lft forever
5: tun0    inet 10.8.0.1 peer 10.8.0.2/32 scope global tun0\       valid_lft forever preferred_lft forever
`, append(loopback[:2:2],
			addressOf("eth0", "192.0.2.2", 24, "ipv4", "global"), addressOf("eth0", "fe80::fc:ff:fe00:1", 64, "ipv6", "link"),
			addressOf("tun0", "10.8.0.1", 32, "ipv4", "global"))},
		"ip of busybox": {ipAddresses, `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
1: lo    inet 127.0.0.1/8 scope host lo\       valid_lft forever preferred_lft forever
1: lo    inet6 ::1/128 scope host \       valid_lft forever preferred_lft forever
`, loopback},
		"ifconfig of Linux": {ifconfigAddresses, `eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1400
        inet 192.0.2.2  netmask 255.255.255.0  broadcast 192.0.2.255
        inet6 fe80::fc:ff:fe00:1  prefixlen 64  scopeid 0x20<link>
        ether 02:fc:00:00:00:01  txqueuelen 1000  (Ethernet)
        RX packets 75123  bytes 911583157 (869.3 MiB)

lo: flags=73<UP,LOOPBACK,RUNNING>  mtu 65536
        inet 127.0.0.1  netmask 255.0.0.0
        inet6 ::1  prefixlen 128  scopeid 0x10<host>
`, append([]Address{addressOf("eth0", "192.0.2.2", 24, "ipv4", "global"), addressOf("eth0", "fe80::fc:ff:fe00:1", 64, "ipv6", "link")}, loopback...)},
		"ifconfig of busybox": {ifconfigAddresses, `eth0      Link encap:Ethernet  HWaddr 02:FC:00:00:00:01  
          inet addr:192.0.2.2  Bcast:192.0.2.255  Mask:255.255.255.0
          inet6 addr: fe80::fc:ff:fe00:1/64 Scope:Link
          UP BROADCAST RUNNING MULTICAST  MTU:1400  Metric:1

lo        Link encap:Local Loopback  
          inet addr:127.0.0.1  Mask:255.0.0.0
          inet6 addr: ::1/128 Scope:Host
`, append([]Address{addressOf("eth0", "192.0.2.2", 24, "ipv4", "global"), addressOf("eth0", "fe80::fc:ff:fe00:1", 64, "ipv6", "link")}, loopback...)},
		"ifconfig of macOS": {ifconfigAddresses, `lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384
	options=1203<RXCSUM,TXCSUM,TXSTATUS,SW_TIMESTAMP>
	inet 127.0.0.1 netmask 0xff000000
	inet6 ::1 prefixlen 128 
	inet6 fe80::1%lo0 prefixlen 64 scopeid 0x1 
en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	ether 3c:22:fb:00:00:01
	inet6 fe80::14c:5f3:aa:1%en0 prefixlen 64 secured scopeid 0xe 
	inet 192.168.1.23 netmask 0xffffff00 broadcast 192.168.1.255
utun3: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1380
	inet 10.8.0.6 --> 10.8.0.5 netmask 0xffffffff 
`, []Address{
			addressOf("lo0", "127.0.0.1", 8, "ipv4", "host"), addressOf("lo0", "::1", 128, "ipv6", "host"), addressOf("lo0", "fe80::1", 64, "ipv6", "link"),
			addressOf("en0", "fe80::14c:5f3:aa:1", 64, "ipv6", "link"), addressOf("en0", "192.168.1.23", 24, "ipv4", "global"),
			addressOf("utun3", "10.8.0.6", 32, "ipv4", "global"),
		}},
		"ifconfig of NetBSD": {ifconfigAddresses, `wm0: flags=0x8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	inet 10.0.2.15/24 broadcast 10.0.2.255 flags 0
	inet6 fe80::1%wm0/64 flags 0 scopeid 0x1
`, []Address{addressOf("wm0", "10.0.2.15", 24, "ipv4", "global"), addressOf("wm0", "fe80::1", 64, "ipv6", "link")}},
		"without a prefix": {ifconfigAddresses, "x0: flags=0\n\tinet 192.0.2.1\n", []Address{{Interface: "x0", Address: "192.0.2.1", Family: "ipv4", Scope: "global"}}},
		"nonsense":         {ifconfigAddresses, "x0: flags=0\n\tinet none\n inet\n\n inet6 addr:\n\tinet 1.2.3.4 netmask 0xzz\n", []Address{{Interface: "x0", Address: "1.2.3.4", Family: "ipv4", Scope: "global"}}},
		"ip nonsense":      {ipAddresses, "1: x0 inet none\nx\n", []Address{}},
		"nothing":          {ipAddresses, "", nil},
	} {
		if diff := cmp.Diff(tt.want, tt.read(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		read func(string) []Mount
		text string
		want []Mount
	}{
		"/proc/self/mounts": {procMounts, `/dev/sda1 / ext4 rw,relatime,errors=remount-ro 0 0
proc /proc proc rw,nosuid 0 0
//nas/a\040b /mnt/a\040b\011c\134 cifs rw,vers=3.0 0 0
x /no\0zz\777 t  
`, []Mount{
			{"/dev/sda1", "/", "ext4", []string{"rw", "relatime", "errors=remount-ro"}},
			{"proc", "/proc", "proc", []string{"rw", "nosuid"}},
			{"//nas/a b", "/mnt/a b\tc\\", "cifs", []string{"rw", "vers=3.0"}},
		}},
		"white space that Linux does not escape": {procMounts, "/dev/sdb1 /media/a\u3000b\u00a0c vfat rw 0 0\n", []Mount{
			{"/dev/sdb1", "/media/a\u3000b\u00a0c", "vfat", []string{"rw"}},
		}},
		"macOS": {mountLines, `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk4s1 on /Volumes/My Disk (1) (hfs, local)
`, []Mount{
			{"/dev/disk3s1s1", "/", "apfs", []string{"sealed", "local", "read-only", "journaled"}},
			{"map auto_home", "/System/Volumes/Data/home", "autofs", []string{"automounted", "nobrowse"}},
			{"/dev/disk4s1", "/Volumes/My Disk (1)", "hfs", []string{"local"}},
		}},
		"OpenBSD": {mountLines, `/dev/sd0a on / type ffs (local)
/dev/sd0d on /my type type ffs (local, nodev, nosuid)
nonsense
x on y
`, []Mount{
			{"/dev/sd0a", "/", "ffs", []string{"local"}},
			{"/dev/sd0d", "/my type", "ffs", []string{"local", "nodev", "nosuid"}},
		}},
		"nothing": {mountLines, "", nil},
		"none":    {procMounts, "", nil},
	} {
		if diff := cmp.Diff(tt.want, tt.read(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	got := split("Welcome!\n\nMARK kernel\nLinux\n\nMARK os_release\nA=1\nMARKB=2\n x MARK y\n\n\nMARK machine_id\n\nMARK end\n", "MARK")
	want := parts{"kernel": "Linux", "os_release": "A=1\nMARKB=2\n x MARK y", "machine_id": "", "end": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	linux := parts{
		"kernel": "Linux", "hostname": "web\xff", "user": "ada", "user_id": "1000", "processors": "4",
		"os_release": "# comment\nID=debian\nPRETTY_NAME=\"Debian \\\"12\\\" \\\\ \\x\"\nVERSION_ID='12'\nEMPTY=\nODD=\"x\n\nnonsense",
		"meminfo":    "MemTotal:       16316412 kB\nMemFree: 1 kB\nSwapTotal:             0 kB", "machine_id": "0123", "ip": "", "mounts": "",
	}
	mac := parts{
		"kernel": "Darwin", "user_id": "501", "processors": "8", "memory": "17179869184", "ifconfig": "", "mount": "/dev/d on / (apfs, local)",
		"sw_vers": "ProductName:\t\tmacOS\nProductVersion:\t\t14.5\nBuildVersion:\t\t23F79", "os_release": "", "meminfo": "", "machine_id": "",
	}
	for name, tt := range map[string]struct {
		parts parts
		want  Output
	}{
		"Linux": {linux, Output{
			Hostname: "web\uFFFD", Kernel: "Linux", User: "ada", UserID: new(int64(1000)), Processors: new(int64(4)),
			OSRelease:   map[string]string{"ID": "debian", "PRETTY_NAME": `Debian "12" \ \x`, "VERSION_ID": "12", "EMPTY": "", "ODD": `"x`},
			MemoryTotal: new(int64(16316412 << 10)), SwapTotal: new(int64(0)), MachineID: new("0123"),
		}},
		"macOS": {mac, Output{
			Kernel: "Darwin", UserID: new(int64(501)), Processors: new(int64(8)), MemoryTotal: new(int64(16 << 30)),
			OSRelease: map[string]string{"ID": "macos", "NAME": "macOS", "VERSION_ID": "14.5", "BUILD_ID": "23F79", "PRETTY_NAME": "macOS 14.5"},
			Mounts:    []Mount{{"/dev/d", "/", "apfs", []string{"local"}}},
		}},
		"no facts": {parts{"end": ""}, Output{}},
		"image":    {parts{"machine_id": "uninitialized", "end": ""}, Output{}},
	} {
		if diff := cmp.Diff(&tt.want, tt.parts.output()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzOutput checks that prefix lengths are valid or null for any output.
func FuzzOutput(f *testing.F) {
	f.Add("kernel\nLinux\n\nM meminfo\nMemTotal: 99999999999999999999 kB\n\nM ip\n1: a inet 1.2.3.4/99 peer\n\nM mounts\na b\\0 c d\n\nM mount\n on  ( type )\n\nM os_release\nA='\n")
	f.Fuzz(func(t *testing.T, text string) {
		out := split("M "+text, "M").output()
		for _, a := range out.Addresses {
			if a.PrefixLength != nil && (*a.PrefixLength < 0 || *a.PrefixLength > 128) {
				t.Errorf("prefix length %d, want one from 0 to 128", *a.PrefixLength)
			}
		}
	})
}
