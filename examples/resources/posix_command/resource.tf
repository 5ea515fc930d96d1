# An account. read prints its entry in the user database, so that a plan detects
# drift.
resource "posix_command" "deploy" {
  environment = {
    NAME        = "deploy"
    LOGIN_SHELL = "/bin/sh"
  }

  create = "useradd --create-home --shell \"$LOGIN_SHELL\" \"$NAME\""
  read   = "getent passwd \"$NAME\""
  update = "usermod --shell \"$LOGIN_SHELL\" \"$NAME\""
  delete = "userdel --remove \"$NAME\""

  absent_exit_codes = [2] # getent: the account does not exist
}

# Pass a secret on standard input. It is not stored in the plan or the state, and not
# visible in the list of processes.
variable "password" {
  type      = string
  ephemeral = true
}

resource "posix_command" "password" {
  create = "{ printf '%s:' \"$NAME\"; cat; } | chpasswd"
  update = "{ printf '%s:' \"$NAME\"; cat; } | chpasswd"

  environment      = { NAME = posix_command.deploy.environment["NAME"] }
  stdin_wo         = var.password
  stdin_wo_version = "2026-01" # change it to set the password again
}

# Run a command whenever the configured content of a file changes. A repair of drift does
# not change the digest: to run the command after a repair as well, use
# replace_triggered_by = [posix_file.site] instead of triggers.
resource "posix_file" "site" {
  path    = "/etc/nginx/conf.d/site.conf"
  content = "server { listen 80; root /srv/site; }\n"
}

resource "posix_command" "reload" {
  triggers = { site = posix_file.site.sha256 }

  create  = "nginx -t && systemctl reload nginx"
  update  = "nginx -t && systemctl reload nginx"
  timeout = "1m"
}
