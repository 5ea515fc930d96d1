import {
  to = posix_sysctl.forward
  identity = {
    key = "net.ipv4.ip_forward" # on the provider's default_host, since host is not set
  }
}
