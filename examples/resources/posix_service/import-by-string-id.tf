import {
  to = posix_service.nginx
  id = "nginx" # or with the host before the name: "local:nginx"
}
