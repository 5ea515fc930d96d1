import {
  to = posix_sudoers.deploy
  identity = {
    name = "50-deploy" # on the provider's default host, as host is left out
  }
}
