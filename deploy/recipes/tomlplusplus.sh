# toml++: board files. Only headers.
mkdir -p "$STAGE/usr/include"
cp -R usr/include/toml++ "$STAGE/usr/include"
