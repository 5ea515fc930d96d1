# Sets /etc/hostname and the name in the kernel; no reboot is needed.
resource "posix_hostname" "this" {
  name = "web1"
}
