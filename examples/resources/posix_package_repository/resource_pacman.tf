# A repository for pacman. Its key is already in the keyring.
resource "posix_package_repository" "example" {
  name    = "example"
  uris    = ["https://arch.example.com/$repo/os/$arch"]
  options = { SigLevel = "Required DatabaseOptional" }
}
