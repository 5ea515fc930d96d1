import {
  to = posix_package_repository.example
  identity = {
    name = "example" # on the provider's default_host, since host is not set
  }
}
