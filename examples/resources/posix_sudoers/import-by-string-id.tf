import {
  to = posix_sudoers.deploy
  id = "50-deploy" # or with a host: "local:50-deploy"
}
