resource "posix_group" "admins" {
  name = "admins"
}

resource "posix_user" "alice" {
  name    = "alice"
  uid     = 2001
  comment = "Alice Liddell"
  home    = "/home/alice"
  shell   = "/bin/bash"
  groups  = [posix_group.admins.name] # these and no others
  expires = "2040-12-31"
}

# A user that no person works as, for a service.
resource "posix_user" "app" {
  name        = "app"
  system      = true
  home        = "/nonexistent"
  create_home = false
  shell       = "/usr/sbin/nologin"
}

# Users with a password: its hash is made with mkpasswd or openssl passwd -6, and is
# stored neither in the plan nor in the state.
variable "bob_password_hash" {
  type      = string
  ephemeral = true
  default   = "$6$JHDqrqy2kYvHU3Dy$NXey8afzL6tDaO9xIZNNau2c7EyEy8xsLevJvCcZJx3OquQ4slH8kKWpWaxCpdugnrAywQ.yGCxrW8wOdwirX."
}

resource "posix_user" "bob" {
  name                     = "bob"
  password_hash_wo         = var.bob_password_hash
  password_hash_wo_version = "1"
}
