# All packages that somebody asked for; terraform query -generate-config-out=packages.tf
# writes what imports them.
list "posix_package" "all" {
  provider = posix
}

list "posix_package" "php" {
  provider         = posix
  include_resource = true

  config {
    name_pattern         = "php.*"
    include_dependencies = true
  }
}
