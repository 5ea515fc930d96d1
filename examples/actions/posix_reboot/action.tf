# terraform apply -invoke=action.posix_reboot.web1
action "posix_reboot" "web1" {
  config {
    host    = "web1"
    only_if = "test -e /run/reboot-required" # Debian's word for that a restart is due
    timeout = "15m"
  }
}
