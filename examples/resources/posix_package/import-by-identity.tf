import {
  to = posix_package.nginx
  identity = {
    name = "nginx" # on the provider's default host, as host is left out
  }
}
