# Applied now and at every boot, with /etc/sysctl.d/99-posix-net.ipv4.ip_forward.conf.
resource "posix_sysctl" "forward" {
  key   = "net.ipv4.ip_forward"
  value = "1"
}
