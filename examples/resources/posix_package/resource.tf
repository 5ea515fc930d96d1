# A package in any version. Manual upgrades are not drift.
resource "posix_package" "postgresql" {
  name = "postgresql"
}

# The newest version of a series, held so that other upgrades do not change it.
resource "posix_package" "nginx" {
  name    = "nginx"
  version = "1.24.*"
  hold    = true
  purge   = true
}
