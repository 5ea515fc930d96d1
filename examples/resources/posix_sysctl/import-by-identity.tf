import {
  to = posix_sysctl.forward
  identity = {
    key = "net.ipv4.ip_forward" # on the provider's default host, as host is left out
  }
}
