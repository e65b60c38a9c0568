# Two commands matter: `make run` shows Cairn at work on this machine, `make test` tests it. Both install missing
# packages and build first. `make help` lists the other targets, and Tests/README.md describes them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=

toolchain := . .ci/toolchain
# The programs do not contain the path of the build. .ci/same-bytes removes the remaining differences between two
# builds from packaged programs.
release := -c release --static-swift-stdlib --disable-local-rpath \
  -Xcc -ffile-prefix-map=$(CURDIR)=. -Xlinker -z -Xlinker now
programs := cairn cairnd cairn-watch
# The sources of Swift packages. In the tarball of `make dist` the packages are side by side, and swift-nio needs this
# variable for that.
ifneq ($(wildcard packages),)
export SWIFTCI_USE_LOCAL_DEPS = 1
endif
packages = $(if $(wildcard packages),packages,.build/checkouts)/*
sources := find Package.swift Sources Tests -name '*.swift' ! -name '*.pb.swift' -print0

bindir = $(DESTDIR)$(PREFIX)/bin
mandir = $(DESTDIR)$(PREFIX)/share/man
docdir = $(DESTDIR)$(PREFIX)/share/doc/cairn
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd/user
sysctldir = $(DESTDIR)$(PREFIX)/lib/sysctl.d
sharedir = $(DESTDIR)$(PREFIX)/share
# Files for the desktop: the name in examples/desktop, and the destination below share.
desktop := cairn.desktop:applications/cairn.desktop \
  cairn-link.desktop:applications/cairn-link.desktop \
  cairn.metainfo.xml:metainfo/cairn.metainfo.xml \
  cairn.py:nautilus-python/extensions/cairn.py cairn.py:nemo-python/extensions/cairn.py \
  cairn.py:caja-python/extensions/cairn.py cairn-dolphin.desktop:kio/servicemenus/cairn.desktop
icon = $(sharedir)/icons/hicolor/scalable/apps/cairn.svg
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# Debian packages install to another directory.
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
zshdir = $(DESTDIR)$(ZSHDIR)

.PHONY: help setup run test check check-deep docs examples samples acceptance programs bench bench-program bench-million bench-peers \
  bench-choices fuzz crash soak simulate moves powercut faults filesystems workloads saves day browser desktop bad-line engines figures model build format-test api-test attack lint format \
  dist deb deb-test install uninstall clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

setup: ## install missing Debian packages (uses root only if one is missing)
	@.ci/setup

run: build ## play two people who share a folder with a real tree
	@examples/two-people.sh

test: setup ## build and run every test
	@$(toolchain) && Tests/run

check: setup lint ## lint, and test the targets without I/O, after each change: CHECKS="CairnZoneTests TidyTests"
	@$(toolchain) && export CAIRN_TESTS="$(or $(CHECKS),CairnZoneTests CairnPlanTests TidyTests)" && \
	  swift test --disable-xctest

check-deep: setup ## check the planner on ten times as many cases as `make test` does
	@$(toolchain) && CAIRN_TESTS=CairnPlanTests CAIRN_TESTS_DEEP=1 swift test --disable-xctest

# Tests/Acceptance/run lists all variables.
examples: build ## build the sample programs of the library, and play their stories
	@$(toolchain) && examples/play

# ROUNDS=n plays more, SEED=n others. A round takes some seconds.
samples: setup ## kill the photo album in the middle of each of its steps: ROUNDS=100
	@$(toolchain) && for product in cairn cairnd cairn-watch sample-album CairnFaults; do \
	  swift build --quiet --product $$product || exit; done
	@Tests/Samples/run --rounds $(or $(ROUNDS),100) --seed $(or $(SEED),1)

docs: setup ## write the pages of the library CairnCloud into .build/docs
	@$(toolchain) && swift build --target CairnMirror && Sources/CairnCloud/document

acceptance: build ## play each row of the model's checklist with the built programs: ROWS="39 K6", STORE=s3
	@Tests/Acceptance/run

# The program that measures, and its folder.
measure = .build/release/cairn-bench --binaries $(CURDIR)/.build/release $(if $(AT),--at $(AT))

bench-program: build
	@$(toolchain) && swift build $(release) --product cairn-bench

# AT=DIR selects another file system than that of /tmp. `.build/release/cairn-bench --help` lists cases and options.
bench: bench-program ## measure Cairn and its parts against bare system equivalents: CASES="drop tree"
	@$(measure) --json .build/bench.json $(if $(TREE),--tree $(TREE)) $(CASES)

# A tenth of FILES is measured first. FILES are then compared with ten times its result.
bench-million: bench-program ## measure FILES=1000000 against ten times a tenth of them
	@$(measure) --json .build/bench-million.json --files $(or $(FILES),1000000) million

# Programs that are not installed are named and left out.
bench-peers: bench-program ## measure Syncthing, lsyncd, Unison, rclone and restic: PEERS=names
	@$(measure) --json .build/bench-peers.json $(if $(TREE),--tree $(TREE)) \
	  $(foreach peer,$(PEERS),--peer $(peer)) peers

# PYTHON=/a/venv/bin/python3 selects a Python. Installs nothing. Missing modules are named and left out if possible.
bench-choices: ## measure the container's format against alternatives: ROWS="cipher packs"
	@$(or $(PYTHON),python3) -B Tests/Bench/Choices/choices.py $(ROWS)

# Plays SEEDS=n stories from SEED=first on. RECORD=1 adds the counts to Tests/Simulator/CAMPAIGN.md.
simulate: setup ## play stories of several people and faults, each from one seed: SEEDS=1000
	@$(toolchain) && swift build $(release) --product cairn-simulate
	@PROGRAM=$(CURDIR)/.build/release/cairn-simulate Tests/Simulator/run

# Plays SEEDS=n sequences of 40 commands from SEED=first on. With ENDS=1 daemons end in the middle of calls. With
# TROUBLE=1 disks fill up, containers are away, clocks jump, machines sleep, and mirrored folders move.
moves: setup ## play random moves between folders and shares of three people: SEEDS=200
	@$(toolchain) && swift build $(release) --product cairn-simulate
	@.build/release/cairn-simulate --moves 40 --seed $(or $(SEED),1) --seeds $(or $(SEEDS),200) $(if $(ENDS),--ends) \
	  $(if $(TROUBLE),--trouble)

# BOUNDS=quick takes seconds, BOUNDS=large an hour. Tests/Model/README.md describes the models.
model: ## explore models of the log's rules, right and wrong ones: BOUNDS=quick or large
	@nice Tests/Model/run $(if $(BOUNDS),--$(BOUNDS))

# SEED=n draws other commits, LOGS=n damaged logs. `make test` plays 500 commits and 20 logs.
format-test: setup ## compare Cairn with a second implementation of its format: N=10000 random commits
	@Tests/Format/run test
	@$(toolchain) && FORMAT_COMMITS=$(or $(N),10000) FORMAT_LOGS=$(or $(LOGS),100) \
	  FORMAT_SEED=$(or $(SEED),1) swift test --disable-xctest --filter FormatTests

# Nothing but a folder below /tmp is written. Tests/API/run has options.
api-test: build ## play random requests of openapi.yaml against a daemon: EXAMPLES=4, SEED=1
	@Tests/API/run

# NAMES="reader_writes planted_ends" plays two of them. `make test` plays the quick ones. Tests/Attacks/run has options.
attack: build ## play attacks on the promises of cairn-security(7): NAMES=names
	@Tests/Attacks/run $(NAMES)
	@$(if $(NAMES),,Tests/Attacks/run --self-test)

# SECONDS is the time for each decoder. Tests/Fuzz/run describes the corpus.
fuzz: setup ## fuzz each decoder of bytes that others wrote: TARGET="commit link", SECONDS=60
	@$(toolchain) && SECONDS_EACH=$(or $(SECONDS),60) TARGET="$(TARGET)" Tests/Fuzz/run

# ACTS="create accept" SIDES=receiving FAULTS="kill EIO" CALLS=names FROM=1 TO=9 STEP=1 select a part.
# CRASH_KEEP=DIR keeps what a violation left. CAIRN_TEST_ROOT=DIR selects another file system than that of /tmp.
crash: setup ## kill a daemon at each system call, and let each call fail: ACTS=names
	@$(toolchain) && CRASH_ACTS="$${ACTS:-all}" CRASH_SIDES="$$SIDES" CRASH_FAULTS="$$FAULTS" CRASH_CALLS="$$CALLS" \
	  CRASH_FROM="$$FROM" CRASH_TO="$$TO" CRASH_STEP="$$STEP" \
	  swift test --disable-xctest --filter CrashPointTests

# SEED=n begins with another script, STEPS=n sets the length. A failing script prints how to play it again.
soak: setup ## play three people whose daemons die and stand still: MINUTES=10, SEED=1
	@$(toolchain) && SOAK_MINUTES="$${MINUTES:-10}" SOAK_SEED="$${SEED:-1}" SOAK_STEPS="$${STEPS:-150}" \
	  swift test --disable-xctest --filter "SoakTests|VisibilityTests"

# A round takes about a second. `make test` plays three.
programs: setup ## kill daemons and programs that write through them: ROUNDS=600
	@$(toolchain) && PROGRAM_ROUNDS=$(or $(ROUNDS),600) swift test --disable-xctest --filter EndToEndTests.*ProgramTests

# SEED=n draws the faults of the line. `make test` plays 200 commits.
bad-line: setup ## let four people write through a proxy that loses, cuts and repeats: COMMITS=5000
	@$(toolchain) && BAD_LINE_COMMITS=$(or $(COMMITS),5000) BAD_LINE_SEED=$(or $(SEED),1) \
	  swift test --disable-xctest --filter FaultyBucketTests

# NAMES="ceph sshfs" tries two. Programs that are not installed are named and left out. VENV=DIR has those from PyPI.
engines: setup ## try the stores on Ceph, sshfs, Gluster and engines from PyPI: NAMES=names (root)
	@$(toolchain) && swift build --build-tests && Tests/Engines/run $(NAMES)

# NAMES="drops tree" measures both. Needs Debian's Ceph and sshfs. SAMPLES=n of each drop.
figures: build ## measure drops and trees through Ceph and sshfs on slow lines: NAMES=names (root)
	@Tests/Engines/figures $(NAMES) --samples $(or $(SAMPLES),30)

# NAMES="git tar" plays two. Programs that are not installed are named and left out. `make test` plays half a minute.
workloads: build ## run git, SQLite, editors, tar, rsync and make in a shared folder: NAMES=names
	@Tests/Torture/run workloads $(NAMES)

saves: build ## save a shared file with real programs, and read its history: NAMES="vim-no emacs"
	@Tests/Torture/run saves $(NAMES)

# FILES=n is the size of the checkout. With IDLE=5 two people have the folder, and rest for 5 minutes afterwards.
day: build ## play a day of git, builds and packages, and see which deletions wait: FILES=30000
	@Tests/Torture/run day --files $(or $(FILES),30000) --idle $(or $(IDLE),0)

# Each round mounts an image of its own. KINDS=ext4,xfs, PLACES=together,folder,home,container.
powercut: build ## cut the power of real file systems while two people work: ROUNDS=40 (root)
	@Tests/Torture/run powercut --rounds $(or $(ROUNDS),40) --seed $(or $(SEED),1) \
	  $(if $(KINDS),--kinds $(KINDS)) $(if $(PLACES),--places $(PLACES))

# Uses a FUSE file system (python3-pyfuse3, fuse3) below a folder, a home or the container. PLACES=ana,bob,container,home.
filesystems: build ## play fifty changes on each file system that is installed: NAMES=names (root)
	@Tests/Torture/run filesystems $(NAMES)

faults: build ## let file system calls fail, lie and come late while two people work: ROUNDS=45
	@Tests/Torture/run faults --rounds $(or $(ROUNDS),45) --seed $(or $(SEED),1) $(if $(PLACES),--places $(PLACES))

# Needs Debian's chromium. Tests/Browser/run lists requirements and variables.
browser: build ## play the console in a real browser: NAMES="two_people phone"
	@Tests/Browser/run $(NAMES)

# Tests/Desktop/run lists the requirements.
desktop: build ## open a shared folder in real file managers under Xvfb: NAMES="nautilus caja"
	@Tests/Desktop/run $(NAMES)

build: setup ## build the three programs into .build/release
	@$(toolchain) && CAIRN_TESTS= swift build $(release)

lint: setup ## check the style of every Swift source, and that generated files are up to date
	@Sources/CairnControl/generate --check
	@$(toolchain) && $(sources) | xargs -0 swift format lint --strict --parallel

format: ## rewrite every Swift source in that style
	@$(toolchain) && $(sources) | xargs -0 swift format --in-place --parallel

dist: ## make a tarball of the last commit that builds without a network
	@.ci/dist

deb: build ## make a Debian package of what was built: .build/deb/*.deb
	@.ci/package

deb-test: ## install that package in a fresh Debian, use it, remove it (root)
	@Tests/Package/run

install: ## copy programs, man pages and units below PREFIX (run `make build` first)
	@for program in $(programs); do \
	  test -x .build/release/$$program || { \
	    echo "There is no .build/release/$$program: run \`make build\` (not as root), then this again." >&2; \
	    exit 1; }; \
	done
	install -d $(bindir) $(unitdir) $(sysctldir) $(docdir)/examples $(docdir)/notices
	install -m 755 $(if $(shell command -v strip),-s) $(programs:%=.build/release/%) $(bindir)
	install -d $(bashdir) $(zshdir) $(fishdir)
	.build/release/cairn --generate-completion-script bash | sed 1d > $(bashdir)/cairn
	.build/release/cairn --generate-completion-script zsh > $(zshdir)/_cairn
	.build/release/cairn --generate-completion-script fish > $(fishdir)/cairn.fish
	chmod 644 $(bashdir)/cairn $(zshdir)/_cairn $(fishdir)/cairn.fish
	for page in man/*.[1-8]; do \
	  install -D -m 644 "$$page" "$(mandir)/man$${page##*.}/$${page##*/}" || exit 1; \
	done
	.ci/pages | while read -r name page; do ln -sf $$page $(mandir)/man1/$$name || exit 1; done
	install -m 644 LICENSE NOTICE README.md CHANGELOG.md $(docdir)
	install -m 644 Sources/cairn-watch/COPYING $(docdir)/COPYING.cairn-watch
	for package in $(packages); do \
	  test ! -f $$package/NOTICE.txt || \
	    install -m 644 $$package/NOTICE.txt $(docdir)/notices/$${package##*/}.txt || exit 1; \
	done
	install -m 644 examples/README.md $(docdir)/examples
	install -m 755 examples/*.sh $(docdir)/examples
	install -m 644 examples/systemd/no-network.conf $(docdir)/examples
	sed 's|^ExecStart=.*|ExecStart=$(PREFIX)/bin/cairnd|' examples/systemd/cairnd.service \
	  > $(unitdir)/cairnd.service
	chmod 644 $(unitdir)/cairnd.service
	install -m 644 examples/sysctl/50-cairn.conf $(sysctldir)
	$(foreach file,$(desktop),install -D -m 644 \
	  $(subst :, $(sharedir)/,examples/desktop/$(file)) &&) true
	sed -i 's|^Exec=cairn |Exec=$(PREFIX)/bin/cairn |' $(sharedir)/applications/cairn*.desktop
	install -D -m 644 Sources/CairnConsole/Page/icon.svg $(icon)

uninstall: ## remove what install copied
	rm -f $(programs:%=$(bindir)/%) $(unitdir)/cairnd.service $(sysctldir)/50-cairn.conf \
	  $(icon) $(bashdir)/cairn $(zshdir)/_cairn $(fishdir)/cairn.fish
	for file in $(desktop); do rm -f "$(sharedir)/$${file#*:}"; done
	for page in man/*.[1-8]; do rm -f "$(mandir)/man$${page##*.}/$${page##*/}"; done
	.ci/pages | while read -r name page; do rm -f $(mandir)/man1/$$name; done
	rm -rf $(docdir)

clean: ## remove what was built
	rm -rf .build
