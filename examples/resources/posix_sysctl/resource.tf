# Now, and whenever the host starts: in /etc/sysctl.d/99-posix-net.ipv4.ip_forward.conf
resource "posix_sysctl" "forward" {
  key   = "net.ipv4.ip_forward"
  value = "1"
}
