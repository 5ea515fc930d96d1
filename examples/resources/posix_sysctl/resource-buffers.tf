# A key with several values, in a file whose name says when it is read.
resource "posix_sysctl" "buffers" {
  key   = "net.ipv4.tcp_rmem"
  value = "4096 131072 8388608" # least, default and most
  file  = "60-buffers.conf"
}

# The interface eth0.100 has a dot in its name: in this spelling it is one.
# resource "posix_sysctl" "vlan" {
#   key   = "net/ipv4/conf/eth0.100/forwarding"
#   value = "1"
# }
