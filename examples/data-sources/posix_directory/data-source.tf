# The configuration files of nginx, including those in subdirectories.
data "posix_directory" "nginx" {
  path      = "/etc/nginx"
  recursive = true
  pattern   = "*.conf"
}

output "modes" {
  value = { for entry in data.posix_directory.nginx.entries : entry.name => entry.mode if entry.type == "file" }
}
