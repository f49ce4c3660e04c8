# What people type; the work is done by scripts/.
#
#   make try [ONCE=1]             see the main job at work (ONCE=1: without a terminal, exit 0 only if all of it worked)
#   make test [FILTER=…]          the tests that need no root, no network and no server
#   make test-system [FILTER=…]   the others: real servers, systemd, packages, other users, a browser (as root)
#   make test-hunt [N=] [SEED=] [FILTER=…]  the end-to-end tests again, N rounds, with pauses and other seeds
#   make simulate [SEED=1] [SEEDS=100] [JOBS=2]  the daemon in virtual time, in a world of trouble for each seed; HISTORY=1 prints
#                                 what happened, NAMED=1 runs the scenarios that were written by hand, CARDS=1 seeds of cards
#                                 that come and go, RELEASE=1 makes and runs an optimized build; the first 100 seeds have to reach each
#                                 place and combination that Reach names
#   make mutants [MUTANT="NAME …"] [SEEDS=1000] [ROWS=yes] [JOBS=1] [LIMIT=SECONDS] [RELEASE=1]  makes small mistakes in a copy of
#                                 the tree; the simulation has to find each. RULES=N [SEED=1] draws so many by rule, and tells which of
#                                 them tests or the simulation kill, which survive, and which do not compile
#   make torture [MINUTES=N] [SEED=N]  release builds for so long in a world where all goes wrong at random (as root)
#   make torture-volume [ROUNDS=N] [SEED=N]  a volume with ledger and spools that goes from host to host so often (as root)
#   make torture-files [FILES=N] [BURST=N] [LARGE=N]  the long forms of tests, against release builds: a million files in
#                                 one spool, more at once than the kernel's queue of events holds, and a file of 5 GiB
#   make torture-fleet [MINUTES=N] [SEED=N]  agents, daemons and PostgreSQL killed at random for so long; a thousand questions
#   make systemd257               the tests of the service under the systemd of Debian 13 (as root)
#   make syncs                    takes away each fsync in turn; a test of the power cut has to fail each time (root)
#   make syscalls [SCENARIO="plain …"] [SHARE=N]  fails each call on a file in turn, with each of its errors; one fault of N
#   make fuzz [TARGETS=…] [SECONDS_EACH=N]      libFuzzer on everything that reads bytes from outside
#   make sanitize [SANITIZERS=thread] [FILTER=…]  the suite under ThreadSanitizer and AddressSanitizer
#   make soak [MINUTES=60]                      whether memory, descriptors and threads stay flat
#   make lint                     the form of the sources
#   make build | make release     debug and release builds
#   make install [PREFIX=] [DESTDIR=] [FLEET=no]
#   make deb                      the Debian package, in .build-deb, looked over by lintian
#   make rpm                      the same files as an .rpm, in .build-rpm, looked over by rpmlint
#   make image                    the image for containers, as an OCI layout in .build-image (as root)
#   make release-artifacts        all of these in .build-release/VERSION, with their checksums and a bill of materials (as root)
#   make bench [BENCH="compare latency …"]  what jobs cost, also beside other clients (see scripts/bench)
#   make clean

PREFIX ?= /usr/local
DESTDIR ?=
ONCE ?=
FLEET ?=
FILTER ?=
FILES ?=
MINUTES ?=
SEED ?=
SEEDS ?=
HISTORY ?=
MUTANT ?=
ROWS ?=
RULES ?=
N ?=
BENCH ?=
SCENARIO ?=
SHARE ?=

.PHONY: build release try test test-system test-hunt simulate mutants torture torture-volume torture-fleet torture-files systemd257 syncs syscalls fuzz sanitize soak \
  lint install deb rpm image release-artifacts bench clean

build:
	scripts/install-build-deps
	scripts/build debug

release:
	scripts/install-build-deps
	scripts/build release

try:
	ONCE="$(ONCE)" scripts/try

test:
	scripts/test $(if $(FILTER),--filter "$(FILTER)")

test-system:
	FILTER="$(FILTER)" scripts/test-system

test-hunt:
	$(if $(N),N="$(N)") $(if $(SEED),SEED="$(SEED)") FILTER='$(FILTER)' scripts/test-hunt

# An optimized build has failpoints, the times of files and full disks only with SIMULATION, so it has a place of its own.
simulate: simulator = $(if $(RELEASE),.build-simulation/release,.build/debug)/waybill-simulator
simulate:
	scripts/swift-build --product waybill-simulator \
		$(if $(RELEASE),-c release -Xswiftc -DSIMULATION -Xcc -DSIMULATION --scratch-path .build-simulation)
	$(simulator) --seed $(or $(SEED),1) --seeds $(or $(SEEDS),100) --jobs $(or $(JOBS),2) $(if $(NAMED),--named) $(if $(CARDS),--cards) \
		$(if $(HISTORY),--history) $(if $(SEED)$(SEEDS)$(NAMED)$(CARDS),,--reach)

mutants:
	MUTANT="$(MUTANT)" $(if $(SEEDS),SEEDS="$(SEEDS)") $(if $(SEED),SEED="$(SEED)") ROWS="$(ROWS)" $(if $(JOBS),JOBS="$(JOBS)") \
		$(if $(LIMIT),LIMIT="$(LIMIT)") RULES="$(RULES)" RELEASE="$(RELEASE)" scripts/each-mutant

torture:
	$(if $(MINUTES),MINUTES="$(MINUTES)") $(if $(SEED),SEED="$(SEED)") scripts/torture

torture-fleet:
	WAYBILL_TEST_FLEET_SECONDS=$$(( $(or $(MINUTES),10) * 60 )) $(if $(SEED),WAYBILL_TEST_FLEET_SEED="$(SEED)") \
		WAYBILL_TEST_FLEET_QUESTIONS=1000 WAYBILL_TEST_FLEET_RACES=200 \
		FILTER='FleetExactnessTests|FleetAnswerTests|FleetTests|FleetLineTests' scripts/test-system

# The host that works on the volume is killed, and another one goes on; SEED makes the choices of an earlier run.
torture-volume:
	WAYBILL_TEST_VOLUME=$(or $(ROUNDS),30) WAYBILL_TEST_SEED=$(or $(SEED),$$(shuf -i 0-999999 -n 1)) \
		FILTER=MovedVolumeTests scripts/test-system

torture-files:
	$(if $(FILES),FILES="$(FILES)") $(if $(BURST),BURST="$(BURST)") $(if $(LARGE),LARGE="$(LARGE)") scripts/torture-files

systemd257:
	scripts/systemd257

syncs:
	scripts/without-each-sync

syscalls:
	SCENARIO="$(SCENARIO)" $(if $(SHARE),SHARE="$(SHARE)") scripts/each-system-call

fuzz:
	scripts/fuzz $(TARGETS)

sanitize:
	FILTER="$(FILTER)" scripts/sanitize $(SANITIZERS)

soak:
	$(if $(MINUTES),MINUTES="$(MINUTES)") scripts/soak

lint:
	scripts/lint

# Builds only what is missing: as root after "make release" it only copies. FLEET=no leaves out what needs libpq.
install:
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" FLEET="$(FLEET)" scripts/install

deb:
	scripts/deb

rpm:
	scripts/rpm

image:
	scripts/image

release-artifacts:
	scripts/release-artifacts

bench:
	scripts/bench $(BENCH)

clean:
	scripts/clean
