# The default editor of a Debian host, for which there is no resource type. read prints the
# editor, so that a plan detects drift.
resource "posix_command" "editor" {
  environment = { EDITOR_PATH = "/usr/bin/vim.basic" }

  create = "update-alternatives --set editor \"$EDITOR_PATH\""
  read   = "readlink /etc/alternatives/editor"
  update = "update-alternatives --set editor \"$EDITOR_PATH\""
  delete = "update-alternatives --auto editor"

  absent_exit_codes = [1] # readlink: there is no link
}

# Pass a secret on standard input. It is not stored in the plan or the state, and not
# visible in the list of processes.
variable "password" {
  type      = string
  ephemeral = true
}

resource "posix_command" "secret" {
  create = "podman secret create --replace db-password -"
  read   = "podman secret exists db-password"
  update = "podman secret create --replace db-password -"
  delete = "podman secret rm --ignore db-password"

  absent_exit_codes = [1] # podman: the secret does not exist

  stdin_wo         = var.password
  stdin_wo_version = "2026-01" # change it to set the password again
}

# Run a command whenever the configured content of a file changes. A repair of drift does
# not change the digest: to run the command after a repair as well, use
# replace_triggered_by = [posix_file.virtual.sha256] instead of triggers.
resource "posix_file" "virtual" {
  path    = "/etc/postfix/virtual"
  content = "info@example.com alice\n"
}

resource "posix_command" "postmap" {
  triggers = { virtual = posix_file.virtual.sha256 }

  create  = "postmap /etc/postfix/virtual"
  update  = "postmap /etc/postfix/virtual"
  timeout = "1m"
}
