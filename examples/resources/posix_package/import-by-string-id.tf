import {
  to = posix_package.nginx
  id = "nginx" # or with the host before the name: "local:nginx"
}
