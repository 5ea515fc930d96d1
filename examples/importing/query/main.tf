terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}
