# To run it: terraform apply -invoke=action.posix_reboot.web1
action "posix_reboot" "web1" {
  config {
    host    = "web1"
    only_if = "test -e /run/reboot-required" # exists on Debian if a reboot is required
    timeout = "15m"
  }
}
