data "posix_command" "kernel" {
  command = "uname -r"
}

# Use the exit code as the result.
data "posix_command" "account" {
  command            = "getent passwd deploy"
  allowed_exit_codes = [0, 2] # 0: the account exists, 2: it does not
}

output "kernel" {
  value = data.posix_command.kernel.stdout
}

output "has_account" {
  value = data.posix_command.account.exit_code == 0
}
