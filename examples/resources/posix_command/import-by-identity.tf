# Nothing is looked for: the object is taken to be as it is configured, and gets
# this name. The first apply runs read and none of the other commands.
import {
  to = posix_command.deploy
  identity = {
    id = "deploy"
  }
}
