import {
  to = posix_systemd_unit.app
  id = "app.service" # or with a host: "local:app.service"; a drop-in: "cron.service/10-limits"
}
