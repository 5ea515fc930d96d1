import {
  to = posix_group.deploy
  identity = {
    name = "deploy" # on the provider's default host, as host is left out
  }
}
