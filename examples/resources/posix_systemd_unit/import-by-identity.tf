import {
  to = posix_systemd_unit.app
  identity = {
    name = "app.service" # and drop_in for a drop-in; on the provider's default host
  }
}
