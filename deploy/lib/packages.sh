# shellcheck shell=bash
# The Swift packages, from a copy in the cache: builds then need no network. Needs common.sh.

# Clones the pinned Swift package $2 into folder $1, and takes Foundation and concurrency out of it.
#
# swift-argument-parser uses Foundation's JSON encoder for one thing, the description of the command line that the
# manual page is made of. Foundation would be 6 MB of the program. An encoder to the values of Sources/JSON does
# the same. Commands and completions that wait (async) would bring in Swift's concurrency and Dispatch, half a megabyte that
# no command here uses: what waits becomes what does not.
make_package() {
  local folder=$1 name=$2 version url tree found part
  read -r _ version url tree < <(pins_of swift "$name")
  say "fetching $name $version"
  rm -rf "$folder"
  git -c advice.detachedHead=false clone -q --branch "$version" "$url" "$folder"
  found=$(git -C "$folder" rev-parse HEAD:Sources)
  [ "$found" = "$tree" ] || fail "$url: Sources of $version are $found, and not $tree as pinned"
  part=$folder/Sources/ArgumentParser/Utilities
  for file in Sources/JSON/*.swift; do
    sed -E 's/^( *)(@inlinable )?public /\1/' "$file" >"$part/${file##*/}"
  done
  cp deploy/recipes/json-encoding.swift "$part/JSONEncoding.swift"
  cp deploy/recipes/argument-parser-without-foundation.swift "$part/Foundation.swift"
  part=$folder/Sources/ArgumentParser
  echo 'public protocol AsyncParsableCommand: ParsableCommand {}' >"$part/Parsable Types/AsyncParsableCommand.swift"
  # Twice, two functions are told apart by async alone; the one that nobody calls now gets a parameter more.
  sed -i '/ async -> /{s/ async -> / -> /; s/_ completion:/waiting completion:/}' "$part/Parsable Properties/CompletionKind.swift"
  sed -i 's/^  ) async throws/  , waiting: Void) throws/; s/= await /= /' "$part/Parsing/CommandParser.swift"
  ! grep -rnE '\<(async|await)\>' "$part" --include='*.swift' | grep -vE '^[^:]*:[0-9]*: *//|"' || fail "$name $version waits in places that deploy/lib/packages.sh does not know"
  git -C "$folder" tag -d "$version" >/dev/null
  git -C "$folder" add -A
  GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' git -C "$folder" -c user.name=mynah -c user.email=mynah@localhost \
    commit -q -m "Without Foundation and concurrency"
  git -C "$folder" tag "$version"
}

package_key() { { pins_of swift "$1" && cat deploy/lib/packages.sh deploy/recipes/*.swift Sources/JSON/*.swift; } | digest; }

# Fetches what is missing; sets package_configuration to the folder of the cache that tells SwiftPM to look there.
fetch_packages() {
  local name version url folder
  mkdir -p "$cache/packages"
  read -r name version url _ < <(pins_of swift)
  folder=$cache/packages/$name-$version-$(package_key "$name")
  made "$folder" make_package "$name"
  package_configuration=$folder.configuration
  mkdir -p "$package_configuration"
  within packages "printf '{\"object\":[{\"mirror\":\"file://%s\",\"original\":\"$url\"}],\"version\":1}' \
    \"\$ROOT/${folder#"$cache"/}\" >'${package_configuration##*/}/mirrors.json'"
}
