#!/bin/sh
# For cron: what is old goes only if somebody says so, and is reported. Asked again on the same day it is the same ask.
cd "${1:?the folder}"
exec sayso ask "Delete what is older than 30 days in $PWD?" --key "cleanup-$(date +%F)-$PWD" \
  --expires 12h --run "find . -type f -mtime +30 -delete"
