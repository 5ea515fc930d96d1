# All explicitly installed packages. terraform query -generate-config-out=packages.tf
# writes import blocks for them.
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
