data "posix_packages" "all" {}

output "packages" {
  value = length(data.posix_packages.all.packages)
}

# The installed PHP packages, and whether they are held.
data "posix_packages" "php" {
  name_pattern = "php.*"
}

output "php" {
  value = { for p in data.posix_packages.php.packages : p.name => p.hold }
}

# The version of a package, or null if it is not installed.
output "nginx" {
  value = lookup(data.posix_packages.all.versions, "nginx", null)
}
