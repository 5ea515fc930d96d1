import {
  to = posix_service.nginx
  identity = {
    name = "nginx" # on the provider's default_host, since host is not set
  }
}
