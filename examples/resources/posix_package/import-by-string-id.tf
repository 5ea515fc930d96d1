import {
  to = posix_package.nginx
  id = "nginx" # or with a host: "local:nginx"
}
