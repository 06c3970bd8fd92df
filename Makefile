# ipodderx-car: `make demo` and `make test` are all a newcomer needs; the rest is for those who install or work on it.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# Seconds after which the demo ends by itself; empty: until Ctrl-C.
FOR ?=

# What the executables are built from and run with …
BUILD_PACKAGES := libdbus-1-dev libpulse-dev libmpg123-dev libcurl4-openssl-dev libsqlite3-dev libsonic-dev \
	libopusfile-dev libvorbis-dev libmicrohttpd-dev libavformat-dev libavcodec-dev libavutil-dev libswresample-dev \
	libebur128-dev libseccomp-dev pkg-config ca-certificates
# … what the demo brings where there is no desktop …
DEMO_PACKAGES := dbus pulseaudio pulseaudio-utils
# … and the strangers that the tests drive it with.
TEST_PACKAGES := playerctl libglib2.0-bin systemd sox libsox-fmt-mp3 lame espeak-ng ffmpeg flac opus-tools vorbis-tools \
	gnome-keyring bluez procps python3 python3-venv
BENCH_PACKAGES := mpv mpv-mpris mpd mpdris2 mpg123

.PHONY: car demo test build install uninstall bench lint clean packages-build packages-demo packages-test packages-bench

demo: packages-demo
	$(SWIFT) build --product ipodderx-car
	$(SWIFT) build --product ipodderx-car-decode
	.build/debug/ipodderx-car demo $(if $(FOR),--for $(FOR))

# A part at a time, and what listens to real sound with nothing that computes beside it. Seconds: several times what the part takes here.
LISTENING := AudioTests.(Beginning|Playing|SoundServer|PulseSink|Stall|PipeWire|Speed|Promptness|GuessedPlace)Tests
part = IPODDERX_STRICT=1 IPODDERX_BUMBLE_PYTHON=$(BUMBLE)/bin/python3 IPODDERX_FDKAAC=$(FDKAAC)/fdkaac SWIFT=$(SWIFT) .ci/part
test: packages-test bumble fdkaac
	IPODDERX_STRICT=1 $(SWIFT) build --build-tests
	rm -rf .build/tests
	$(part) floors 300 --skip 'LibraryTests|StoreTests|MediaTests|AudioTests|RoadTests|DaemonTests|CarTests'
	$(part) library 420 --filter 'LibraryTests|StoreTests|MediaTests'
	$(part) audio 420 --filter AudioTests --skip '$(LISTENING)'
	$(part) listening 420 --filter '$(LISTENING)'
	$(part) road 420 --filter RoadTests
	$(part) car 300 --filter CarTests
	$(part) daemon 420 --filter DaemonTests --skip KillTests
	$(part) kills 300 --filter KillTests

build: packages-build
	$(SWIFT) build -c release --static-swift-stdlib
	strip -o .build/release/ipodderx-car.stripped .build/release/ipodderx-car

bench: packages-bench build
	.build/release/ipodderx-bench

# The player and a car, in two virtual machines (needs root, qemu, about 8 minutes).
car: build
	Tests/CarLink/carlink setup
	Tests/CarLink/run .build/release

lint:
	$(SWIFT) format lint --strict --recursive Sources Tests Package.swift

clean:
	rm -rf .build

# ---------------------------------------------------------------- packages

packages-build:
	@sh .ci/packages $(BUILD_PACKAGES)

packages-demo:
	@sh .ci/packages $(BUILD_PACKAGES) $(DEMO_PACKAGES)

packages-test:
	@sh .ci/packages $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES)

packages-bench:
	@sh .ci/packages $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(BENCH_PACKAGES)

# The second, independent AVRCP controller of the tests, in a virtual environment of its own.
BUMBLE := $(CURDIR)/.build/bumble
.PHONY: bumble
bumble: $(BUMBLE)/ready
$(BUMBLE)/ready: | packages-test
	python3 -m venv $(BUMBLE)
	$(BUMBLE)/bin/pip --quiet --disable-pip-version-check install bumble==0.0.236
	touch $@

# The encoder of high-efficiency AAC, which Debian has in non-free only: not installed, but unpacked here. Without it those files are left out.
FDKAAC := $(CURDIR)/.build/fdkaac
.PHONY: fdkaac
fdkaac: | packages-test
	@[ -x $(FDKAAC)/fdkaac ] || sh .ci/fdkaac $(FDKAAC) || echo "fdkaac is not to be had: the tests leave HE-AAC by its encoder out" >&2

# ---------------------------------------------------------------- install

bindir := $(DESTDIR)$(PREFIX)/bin
libexecdir := $(DESTDIR)$(PREFIX)/libexec/ipodderx-car
datadir := $(DESTDIR)$(PREFIX)/share
unitdir := $(DESTDIR)$(PREFIX)/lib/systemd/user

install: build
	install -Dm755 .build/release/ipodderx-car.stripped $(bindir)/ipodderx-car
	install -Dsm755 .build/release/ipodderx-car-decode $(libexecdir)/ipodderx-car-decode
	install -Dsm755 .build/release/ipodderx-car-listen $(libexecdir)/ipodderx-car-listen
	install -d $(unitdir) $(datadir)/dbus-1/services
	sed 's|@BINDIR@|$(PREFIX)/bin|' dbus/ipodderx-car.service.in > $(unitdir)/ipodderx-car.service
	for name in org.mpris.MediaPlayer2.ipodderx net.sdf1.ipodderx; do \
		sed -e "s|@NAME@|$$name|" -e 's|@BINDIR@|$(PREFIX)/bin|' dbus/activation.service.in \
			> $(datadir)/dbus-1/services/$$name.service; done
	install -Dm644 dbus/ipodderx-car.desktop $(datadir)/applications/ipodderx-car.desktop
	install -Dm644 dbus/bluetoothd-without-avrcp.conf $(datadir)/ipodderx-car/bluetoothd-without-avrcp.conf
	install -Dm644 -t $(datadir)/dbus-1/interfaces dbus/interfaces/net.sdf1.ipodderx.*.xml
	rm -rf $(datadir)/ipodderx-car/demo
	cp -R Sources/EmbeddedServer/Demo/library $(datadir)/ipodderx-car/demo
	install -d $(datadir)/man/man1 $(datadir)/bash-completion/completions $(datadir)/zsh/site-functions
	.build/release/ipodderx-car help --man > $(datadir)/man/man1/ipodderx-car.1
	.build/release/ipodderx-car help --completion bash > $(datadir)/bash-completion/completions/ipodderx-car
	.build/release/ipodderx-car help --completion zsh > $(datadir)/zsh/site-functions/_ipodderx-car

uninstall:
	rm -f $(bindir)/ipodderx-car $(unitdir)/ipodderx-car.service \
		$(datadir)/dbus-1/services/org.mpris.MediaPlayer2.ipodderx.service \
		$(datadir)/dbus-1/services/net.sdf1.ipodderx.service \
		$(datadir)/dbus-1/interfaces/net.sdf1.ipodderx.*.xml \
		$(datadir)/applications/ipodderx-car.desktop $(datadir)/man/man1/ipodderx-car.1 \
		$(datadir)/bash-completion/completions/ipodderx-car $(datadir)/zsh/site-functions/_ipodderx-car
	rm -rf $(libexecdir) $(datadir)/ipodderx-car
