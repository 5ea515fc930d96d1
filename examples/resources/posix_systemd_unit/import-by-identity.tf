import {
  to = posix_systemd_unit.app
  identity = {
    name = "app.service" # set drop_in as well for a drop-in
  }
}
