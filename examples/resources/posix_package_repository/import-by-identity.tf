import {
  to = posix_package_repository.example
  identity = {
    name = "example" # on the provider's default host, as host is left out
  }
}
