import {
  to = posix_package.nginx
  identity = {
    name = "nginx"
  }
}
