import {
  to = posix_user.alice
  identity = {
    name = "alice" # on the provider's default_host, since host is not set
  }
}
