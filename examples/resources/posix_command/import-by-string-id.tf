# The host is not contacted: the object is assumed to be as configured, and gets this
# ID. The first apply runs read, and none of the other commands.
import {
  to = posix_command.editor
  id = "editor"
}
