# Services that are enabled but do not run.
data "posix_services" "down" {
  enabled = true
  running = false
}

data "posix_services" "databases" {
  name_pattern = "(postgresql|mariadb).*"
}

output "down" {
  value = data.posix_services.down.services[*].name
}

output "databases" {
  value = { for s in data.posix_services.databases.services : s.name => s.running }
}
