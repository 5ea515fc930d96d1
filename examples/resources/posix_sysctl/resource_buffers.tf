# A key with several values, in a file whose name determines when it is read.
resource "posix_sysctl" "buffers" {
  key   = "net.ipv4.tcp_rmem"
  value = "4096 131072 8388608" # minimum, default and maximum
  file  = "60-buffers.conf"
}
