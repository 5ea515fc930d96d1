data "posix_command" "kernel" {
  command = "uname -r"
}

# An exit code can be the answer.
data "posix_command" "account" {
  command            = "getent passwd deploy"
  allowed_exit_codes = [0, 2] # there is such an account, or there is none
}

output "kernel" {
  value = data.posix_command.kernel.stdout
}

output "has_account" {
  value = data.posix_command.account.exit_code == 0
}
