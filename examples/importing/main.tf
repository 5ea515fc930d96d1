# Each import block names an object of the host. OpenTofu or Terraform generates the resources.

terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

import {
  to       = posix_group.app
  identity = { name = "app" }
}

import {
  to       = posix_user.app
  identity = { name = "app" }
}

import {
  to       = posix_directory.app
  identity = { path = "/etc/app" }
}

import {
  to       = posix_file.app
  identity = { path = "/etc/app/app.conf" }
}

import {
  to       = posix_package.cron
  identity = { name = "cron" }
}

import {
  to       = posix_service.cron
  identity = { name = "cron" }
}
