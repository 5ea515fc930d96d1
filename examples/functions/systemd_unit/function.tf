resource "posix_systemd_unit" "app" {
  name = "app.service"
  content = provider::posix::systemd_unit({
    Unit = {
      Description = "The application"
      After       = ["network-online.target", "postgresql.service"] # one line each
    }
    Service = {
      ExecStart    = "/usr/bin/app --listen 127.0.0.1:8080"
      ExecStartPre = ["/usr/bin/app --check", "-/usr/bin/app --clean"]
      Restart      = "on-failure"
      RestartSec   = 5
      DynamicUser  = true
    }
    Install = {
      WantedBy = "multi-user.target"
    }
  })
}
