terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

# Without configuration, the provider manages the host that it runs on.
provider "posix" {}
