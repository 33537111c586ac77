#!/bin/sh
# service.c's work in a guest whose processor this host has no compiler for, without the notify socket:
# service FOLDER PROGRAM ARGUMENT...
folder=$1
shift
mkdir -p "$folder"
cd "$folder" || exit 1
rm -f ended
"$@" >>log 2>&1 &
child=$!
echo $child >pid
cut -d ' ' -f 1 /proc/uptime >started
wait $child
status=$?
echo "$(cut -d ' ' -f 1 /proc/uptime) $status" >ended.new
mv ended.new ended
