import {
  to = posix_service.nginx
  id = "nginx" # or with a host: "local:nginx"
}
