import {
  to = posix_symlink.current
  identity = {
    path = "/srv/app/current" # on the provider's default host, as host is left out
  }
}
