import {
  to = posix_mount.scratch
  identity = {
    path = "/srv/scratch" # on the provider's default host, as host is left out
  }
}
