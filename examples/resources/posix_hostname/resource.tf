# /etc/hostname and the running system have the name at once; nothing is restarted.
resource "posix_hostname" "this" {
  name = "web1"
}
