# terraform query -generate-config-out=generated.tf writes a resource and an import
# block for each file.
list "posix_file" "sites" {
  provider         = posix
  include_resource = true

  config {
    host      = "web1"
    path      = "/etc/nginx"
    recursive = true
    pattern   = "*.conf"
  }
}
