import {
  to = posix_tree.site
  identity = {
    path = "/srv/site" # on the provider's default host, as host is left out
  }
}
