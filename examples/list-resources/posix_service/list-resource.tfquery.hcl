# All services that are enabled or run; terraform query -generate-config-out=services.tf
# writes what imports them.
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
