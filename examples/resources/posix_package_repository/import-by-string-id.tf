import {
  to = posix_package_repository.example
  id = "example" # or with the host before the name: "local:example"
}
