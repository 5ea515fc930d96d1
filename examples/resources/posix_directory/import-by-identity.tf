import {
  to = posix_directory.uploads
  identity = {
    path = "/srv/site/uploads" # on the provider's default host, as host is left out
  }
}
