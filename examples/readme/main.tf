provider "posix" {
  hosts = {
    web1 = { address = "web1.example.com", user = "admin", sudo = {} }
  }
}

resource "posix_package" "nginx" {
  host = "web1"
  name = "nginx"
}

resource "posix_file" "site" {
  host       = "web1"
  path       = "/etc/nginx/conf.d/site.conf"
  content    = templatefile("site.conf.tftpl", { port = 8080 })
  depends_on = [posix_package.nginx]
}

resource "posix_service" "nginx" {
  host     = "web1"
  name     = "nginx"
  running  = true
  triggers = { config = posix_file.site.sha256 }
}
