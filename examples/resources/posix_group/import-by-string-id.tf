import {
  to = posix_group.deploy
  id = "deploy" # or with a host: "local:deploy"
}
