terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

# It manages the machine that it runs on and needs no configuration.
provider "posix" {}
