import {
  to = posix_package_repository.example
  id = "example" # or with a host: "local:example"
}
