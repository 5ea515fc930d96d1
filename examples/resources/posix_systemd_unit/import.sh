terraform import posix_systemd_unit.app app.service
