import {
  to = posix_file.motd
  identity = {
    path = "/etc/motd" # on the provider's default_host, since host is not set
  }
}
