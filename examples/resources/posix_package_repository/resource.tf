# A repository for apt with its signing key, and a package from it.
resource "posix_package_repository" "example" {
  name       = "example"
  uris       = ["https://deb.example.com"]
  suites     = ["stable"]
  components = ["main"]
  key        = file("${path.module}/example.asc")
}

resource "posix_package" "agent" {
  name       = "example-agent"
  depends_on = [posix_package_repository.example]
}
