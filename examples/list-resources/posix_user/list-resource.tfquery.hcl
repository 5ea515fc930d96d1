# All users except system accounts. terraform query -generate-config-out=users.tf
# writes import blocks for them.
list "posix_user" "people" {
  provider = posix
}

list "posix_user" "services" {
  provider         = posix
  include_resource = true

  config {
    name_pattern   = "app-.*"
    include_system = true
  }
}
