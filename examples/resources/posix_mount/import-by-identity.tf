import {
  to = posix_mount.scratch
  identity = {
    path = "/srv/scratch" # on the provider's default_host, since host is not set
  }
}
