import {
  to = posix_group.deploy
  id = "deploy" # or with the host before the name: "local:deploy"
}
