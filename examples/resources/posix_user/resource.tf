resource "posix_group" "admins" {
  name = "admins"
}

resource "posix_user" "alice" {
  name    = "alice"
  uid     = 2001
  comment = "Alice Liddell"
  home    = "/home/alice"
  shell   = "/bin/bash"
  groups  = [posix_group.admins.name] # all supplementary groups
  expires = "2040-12-31"
}

# A system account for a service.
resource "posix_user" "app" {
  name        = "app"
  system      = true
  home        = "/nonexistent"
  create_home = false
  shell       = "/usr/sbin/nologin"
}

# A user with a password. The hash, created with mkpasswd or openssl passwd -6, is not
# stored in the plan or the state.
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
