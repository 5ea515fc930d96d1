import {
  to = posix_group.deploy
  identity = {
    name = "deploy" # on the provider's default_host, since host is not set
  }
}
