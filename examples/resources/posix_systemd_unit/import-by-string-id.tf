import {
  to = posix_systemd_unit.app
  id = "app.service" # "local:app.service" with the host, "cron.service/10-limits" for a drop-in
}
