import {
  to = posix_symlink.current
  identity = {
    path = "/srv/app/current" # on the provider's default_host, since host is not set
  }
}
