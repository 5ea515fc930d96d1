# A repository for dnf.
resource "posix_package_repository" "example" {
  name        = "example"
  description = "Example packages for Enterprise Linux"
  uris        = ["https://rpm.example.com/el9"]
  key         = file("${path.module}/example.asc")
  options     = { priority = "50" }
}
