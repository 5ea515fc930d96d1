# A package in whatever version the system's repositories have. An upgrade by hand is
# no drift.
resource "posix_package" "postgresql" {
  name = "postgresql"
}

# The newest of a series, which nobody upgrades beyond it by accident.
resource "posix_package" "nginx" {
  name    = "nginx"
  version = "1.24.*"
  hold    = true
  purge   = true
}
