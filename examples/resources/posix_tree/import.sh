terraform import posix_tree.site /srv/site
