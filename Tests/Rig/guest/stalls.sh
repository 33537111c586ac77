#!/bin/sh
# stalls.c's work in a guest whose processor this host has no compiler for, for the machine as a whole: stalls MS.
# Prints uptime and milliseconds whenever a tenth of a second took that much longer.
limit=$1
last=
while :; do
  read -r up _ </proc/uptime
  now=${up%.*}${up#*.}0
  if [ -n "$last" ]; then
    late=$((now - last - 100))
    [ $late -lt "$limit" ] || echo "$up $late"
  fi
  last=$now
  sleep 0.1
done
