# What one does with Mynah. Every goal first installs what is missing (Scripts/setup, Scripts/packages.txt).
#
#   make run       build and open the simulated device; takes go to DATA (default: data). ARGS are handed on
#   make demo-dub  a self-made live stream with a Spanish dub, whose service is restarted; needs what test does
#   make test      build and run all tests
#   make bench     measure beside other programs that do the same: ffmpeg, arecord, sox, Motion, GStreamer, mpv
#   make gate      count the instructions of the static program in eight situations; fails if they grew (Tests/Gate).
#                  ARGS="--accept 'why'" keeps the new figures
#   make release   build dist/x86_64/mynah and dist/aarch64/mynah, static, and check them. ARGS go to deploy/build
#   make fuzz      hand the readers of strangers' files and streams what they do not expect (Tests/Fuzz).
#                  ARGS="--for 3600 --seed 2 --target sound"
#   make rig       the static program on real kernel drivers in a virtual machine, checked from outside; PROGRAM is it
#   make rig-media the same for clips and dubs: cameras whose every picture is known, a network
#   make rig-full  all of it, with 1000 power cuts and dist/aarch64/mynah on an arm64 kernel: hours; writes
#                  Tests/Rig/results.md
#   make image     make the image of a card for Raspberry Pi 3, 4 and Zero 2 W from dist/mynah_VERSION_arm64.deb, and the
#                  update for devices that have one; check
#                  them (deploy/image). ARGS go to deploy/image
#   make release-all  all that a release hands out, with NOTICES, SBOM and signatures; KEY is the folder of the project's
#                  key (deploy/RELEASING.md)
#   make rig-image start that image in an emulator, through U-Boot to armed, with power cuts
#   make package   pack the programs of dist/ as Debian packages
#   make client    check the Python client (clients/python), its tests and examples, with the debug build or PROGRAM.
#                  ARGS go to pytest
#   make client-methods  write the client's methods anew, when those of the program have changed
#   make lint      check the form of sources, scripts and rules
#   make format    put Swift sources into form
#   make screens   play the scripts of docs/screens on the simulated device, and keep what its OLED showed
#   make golden    keep all screens as they are now as the pictures that the tests compare with
#   make man       write the manual page, dist/mynah.1
#   make rate-filter  draw the response of the rate filter for the manual
#   make wiring    write the tables of board/README.md, and draw the wiring of the manual, from the board files
#   make boards    copy the board files into the program
#   make fonts     make the bitmap fonts anew
#   make clean     forget everything that was built

DATA ?= data
ARGS ?=
SWIFT ?= swift
PROGRAM ?= dist/x86_64/mynah
# Scenarios on the real clock or with real servers. All others are in virtual time, and keep no time but their own.
# They wait more than they work, so that two may run at a time: what plays, and all others.
PLAYING := ScenarioTests\.(Dub[A-Za-z]*|Feed|PCM|Service)Tests
OTHERS := ScenarioTests\.(BadPlace|Console(Plug)?|Crash|DecodingProcess|ExaminerProcess|FilledCard|Kill|PanelOnTerminal|UpdateFetch)Tests
# One device that waits for a server to lose patience with it: it may run beside what computes.
PATIENT := ScenarioTests\.RealServerTests
LIVE := $(PLAYING)|$(OTHERS)

.PHONY: help run demo-dub test release bench gate fuzz rig rig-media rig-full client client-methods lint format screens golden man wiring rate-filter boards fonts clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

run:
	@Scripts/setup build
	@# The build that make test goes on with; rooms that touch every sample are optimised in it (Package.swift).
	$(SWIFT) build --product mynah
	@echo "Takes go to $(DATA)/recordings."
	@exec "$$($(SWIFT) build --show-bin-path)/mynah" simulate --data "$(DATA)" $(ARGS)

demo-dub:
	@Scripts/setup build test
	$(SWIFT) build --product mynah
	MYNAH="$$($(SWIFT) build --show-bin-path)/mynah" Scripts/demo-dub

test:
	@Scripts/setup build test
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --ignore-lock --filter '$(PATIENT)' & patient=$$!; \
	$(SWIFT) test --skip-build --ignore-lock --skip '$(LIVE)|$(PATIENT)'; units=$$?; \
	wait $$patient && exit $$units
	@# No more than two whole devices at a time: in real time they must not starve each other.
	$(SWIFT) test --skip-build --ignore-lock --no-parallel --filter '$(PLAYING)' & playing=$$!; \
	$(SWIFT) test --skip-build --ignore-lock --no-parallel --filter '$(OTHERS)'; others=$$?; \
	wait $$playing && exit $$others

release:
	@Scripts/setup deploy
	deploy/build $(ARGS)
	deploy/check-static

bench:
	@Scripts/setup build bench deploy
	Tests/Benchmarks/run $(ARGS)

gate:
	@Scripts/setup gate
	Tests/Gate/run --program "$(PROGRAM)" $(ARGS)

fuzz:
	@Scripts/setup build
	Tests/Fuzz/run $(ARGS)

rig:
	@Scripts/setup rig
	Tests/Rig/run --program "$(PROGRAM)" $(ARGS)

rig-media:
	@Scripts/setup rig
	Tests/Rig/run --media --program "$(PROGRAM)" $(ARGS)

rig-full:
	@Scripts/setup rig
	Tests/Rig/run --full --program "$(PROGRAM)" --results Tests/Rig/results.md $(ARGS)

# The debug build, unless somebody names another program.
ifeq ($(origin PROGRAM),file)
client client-methods: CLIENT_PROGRAM = $$($(SWIFT) build --show-bin-path)/mynah
client client-methods: client-program
else
client client-methods: CLIENT_PROGRAM = $(PROGRAM)
endif

.PHONY: client-program
client-program:
	@Scripts/setup build
	$(SWIFT) build --product mynah

client:
	@Scripts/setup client
	clients/python/check "$(CLIENT_PROGRAM)" $(ARGS)

client-methods:
	@Scripts/setup client
	python3 clients/python/tools/generate_methods.py --program "$(CLIENT_PROGRAM)"

.PHONY: image rig-image release-all
release-all:
	@Scripts/setup deploy
	deploy/release-all --key "$(KEY)"

image:
	@Scripts/setup deploy
	deploy/image $(ARGS)
	deploy/check-image
	deploy/check-first-boot
	@cd dist && find . -name mynah -o -name '*.deb' -o -name '*.img.xz' -o -name '*.raucb' | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS

rig-image:
	@Scripts/setup rig deploy
	Tests/Rig/run --image "dist/mynah-$$(deploy/version)-raspberrypi.img.xz" --keep dist/rig-image $(ARGS)

lint:
	@Scripts/setup build test
	Scripts/lint

format:
	@Scripts/setup build
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests

screens:
	@Scripts/setup build
	Scripts/screens

golden:
	@Scripts/setup build test
	Scripts/golden

man:
	@Scripts/setup build
	$(SWIFT) build --product mynah
	@mkdir -p dist
	"$$($(SWIFT) build --show-bin-path)/mynah" manual > dist/mynah.1
	@echo "wrote dist/mynah.1; man -l dist/mynah.1 shows it"

rate-filter:
	MYNAH_WRITE=1 swift test --filter SoundTests.RateResponseTests

wiring:
	@Scripts/setup build test
	Scripts/wiring

boards:
	Scripts/embed-boards

fonts:
	@Scripts/setup fonts
	Scripts/make-fonts

.PHONY: package
package:
	@for program in dist/*/mynah; do \
	  [ -f "$$program" ] || { echo "there are no programs in dist/; deploy/build makes them" >&2; exit 1; }; \
	  architecture=$$(basename "$$(dirname "$$program")"); \
	  deploy/package "$$program" "$$architecture" "$$(deploy/version)" dist || exit 1; \
	done
	@cd dist && find . -name mynah -o -name '*.deb' | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS

clean:
	$(SWIFT) package clean
