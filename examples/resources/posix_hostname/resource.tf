# Sets /etc/hostname and the name of the running system; no restart is needed.
resource "posix_hostname" "this" {
  name = "web1"
}
