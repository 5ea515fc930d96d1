# A key with several values, in a file whose name says when it is read.
resource "posix_sysctl" "buffers" {
  key   = "net.ipv4.tcp_rmem"
  value = "4096 131072 8388608" # least, default and most
  file  = "60-buffers.conf"
}
