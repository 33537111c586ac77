#!/bin/sh
# agent.c's work in a guest whose processor this host has no compiler for: agent PORT.
mkdir -p /run/agent
exec 3<>"$1"

# Reads $1 bytes of the host, and no more.
take() {
  if [ "$1" -gt 0 ]; then dd bs="$1" count=1 iflag=fullblock <&3 2>/dev/null; fi
}

serve() {
  cd /run/agent || exit 1
  (cd / && exec sh "/run/agent/$1.script") <"$1.input" >"$1.output" 2>&1 3<&-
  status=$?
  # An answer is written in one piece. busybox has no flock.
  until mkdir lock 2>/dev/null; do sleep 0.01; done
  { echo "END $1 $status $(stat -c %s "$1.output")" && cat "$1.output"; } >&3
  rmdir lock
  rm -f "$1".*
}

while :; do
  # Nothing comes while no host is connected.
  read -r word number script input <&3 || { sleep 0.05; continue; }
  [ "$word" = RUN ] || continue
  take "$script" >"/run/agent/$number.script"
  take "$input" >"/run/agent/$number.input"
  serve "$number" &
done
