resource "posix_file" "site" {
  path    = "/etc/nginx/conf.d/site.conf"
  content = "server_tokens off;\n"
}

# Runs now and after each boot, and is reloaded when its configuration changes.
resource "posix_service" "nginx" {
  name      = "nginx"
  enabled   = true
  running   = true
  on_change = "reload"
  triggers = {
    site = posix_file.site.sha256
  }
}
