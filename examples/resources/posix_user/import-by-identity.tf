import {
  to = posix_user.alice
  identity = {
    name = "alice" # on the provider's default host, as host is left out
  }
}
