# A repository for pacman, whose key was added to its keyring.
resource "posix_package_repository" "example" {
  name    = "example"
  uris    = ["https://arch.example.com/$repo/os/$arch"]
  options = { SigLevel = "Required DatabaseOptional" }
}
