import {
  to = posix_sudoers.deploy
  identity = {
    name = "50-deploy" # on the provider's default_host, since host is not set
  }
}
