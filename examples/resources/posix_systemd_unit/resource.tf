resource "posix_systemd_unit" "app" {
  name    = "app.service"
  content = <<-EOT
    [Unit]
    Description=The application
    After=network-online.target

    [Service]
    ExecStart=/usr/bin/sleep infinity
    DynamicUser=true
    Restart=on-failure

    [Install]
    WantedBy=multi-user.target
  EOT
}

# Change settings of a unit from a package.
resource "posix_systemd_unit" "cron_limits" {
  name    = "cron.service"
  drop_in = "10-limits"
  content = <<-EOT
    [Service]
    MemoryMax=256M
  EOT
}
