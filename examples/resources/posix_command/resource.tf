# An account: each command does one thing, and read says how the account is. Its
# line of the user database is what drift shows in.
resource "posix_command" "deploy" {
  environment = {
    NAME        = "deploy"
    LOGIN_SHELL = "/bin/sh"
  }

  create = "useradd --create-home --shell \"$LOGIN_SHELL\" \"$NAME\""
  read   = "getent passwd \"$NAME\""
  update = "usermod --shell \"$LOGIN_SHELL\" \"$NAME\""
  delete = "userdel --remove \"$NAME\""

  absent_exit_codes = [2] # by this, getent says that there is no such account
}

# A secret reaches the command on standard input. It is in no plan, no state and no
# list of processes.
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

# Something to do whenever a file has changed.
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
