import {
  to = posix_file.motd
  identity = {
    path = "/etc/motd" # on the provider's default host, as host is left out
  }
}
