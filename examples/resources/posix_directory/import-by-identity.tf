import {
  to = posix_directory.uploads
  identity = {
    path = "/srv/site/uploads" # on the provider's default_host, since host is not set
  }
}
