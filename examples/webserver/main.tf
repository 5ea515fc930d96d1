# A web server: a user to run as, the package, the pages, a configuration that is
# validated before it is installed, and the service, which is reloaded when the
# configuration changes.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "port" {
  type    = number
  default = 80
}

variable "workers" {
  type    = number
  default = 1
}

# The server's user, which has no login shell.
resource "posix_user" "web" {
  name        = "web"
  system      = true
  home        = "/srv/site"
  create_home = false
  shell       = "/usr/sbin/nologin"
}

resource "posix_package" "nginx" {
  name = "nginx"
}

# The pages are the files in the directory site. Other files in /srv/site are removed.
resource "posix_tree" "pages" {
  path   = "/srv/site"
  source = "${path.module}/site"
  purge  = true
}

# nginx validates the configuration before it replaces the old one.
resource "posix_file" "configuration" {
  path = "/etc/nginx/nginx.conf"
  write_options = {
    overwrite = true # the package installs one
    validate  = ["nginx", "-t", "-q", "-c", "%s"]
  }
  content = <<-EOT
    user ${posix_user.web.name};
    worker_processes ${var.workers};
    pid /run/nginx.pid;

    events {}

    http {
      types {
        text/css  css;
        text/html html;
      }
      server {
        listen ${var.port};
        root ${posix_tree.pages.path};
      }
    }
  EOT

  depends_on = [posix_package.nginx]
}

resource "posix_service" "nginx" {
  name      = "nginx"
  enabled   = true
  running   = true
  on_change = "reload"
  triggers  = { configuration = posix_file.configuration.sha256 }
}
