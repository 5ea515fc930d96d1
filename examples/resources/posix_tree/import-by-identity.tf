import {
  to = posix_tree.site
  identity = {
    path = "/srv/site" # on the provider's default_host, since host is not set
  }
}
