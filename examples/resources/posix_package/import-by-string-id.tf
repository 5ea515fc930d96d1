import {
  to = posix_package.nginx
  id = "nginx"
}
