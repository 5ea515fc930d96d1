# All services that are enabled or running.
# terraform query -generate-config-out=services.tf writes import blocks for them.
list "posix_service" "all" {
  provider = posix
}

list "posix_service" "web" {
  provider         = posix
  include_resource = true

  config {
    name_pattern = "nginx|php.*-fpm"
    enabled      = true
  }
}
