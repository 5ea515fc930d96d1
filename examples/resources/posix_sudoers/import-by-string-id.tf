import {
  to = posix_sudoers.deploy
  id = "50-deploy" # or with the host before the name: "local:50-deploy"
}
