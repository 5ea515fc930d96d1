data "posix_command" "kernel" {
  command = "uname -r"
}

# Use the exit code as the result.
data "posix_command" "reboot" {
  command            = "test -e /run/reboot-required"
  allowed_exit_codes = [0, 1] # 0: Debian requires a reboot, 1: it does not
}

output "kernel" {
  value = data.posix_command.kernel.stdout
}

output "needs_reboot" {
  value = data.posix_command.reboot.exit_code == 0
}
