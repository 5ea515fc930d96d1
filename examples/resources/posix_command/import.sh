terraform import posix_command.editor editor
