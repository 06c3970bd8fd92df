#!/bin/bash
# In the phone guest: the player installed as `make install` does, and run by a user without any privilege, on a session bus of its own.
#
#     phone.sh install FOLDER     FOLDER: a release build's
#     phone.sh start|stop|restart the server and the player
#     phone.sh run COMMAND…       COMMAND as that user, on that bus
here=$(dirname "$(readlink -f "$0")")
log=/share/phone
bin=/usr/local/bin libexec=/usr/local/libexec/ipodderx-car share=/usr/local/share/ipodderx-car
home=/run/listener
export XDG_RUNTIME_DIR=$home HOME=$home DBUS_SESSION_BUS_ADDRESS=unix:path=$home/bus PULSE_SERVER=unix:$home/pulse
# No function: behind one, $! would be a shell's number and not the program's.
as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)

install_player() {
	mkdir -p $libexec $share $home
	# Half as large, where it is this build's: an older one would be looked at in its place.
	local program=$1/ipodderx-car
	[ ! "$program.stripped" -nt "$program" ] || program=$program.stripped
	cp "$program" $bin/ipodderx-car
	cp "$1/ipodderx-car-decode" "$1/ipodderx-car-listen" $libexec/
	cp "$here/../../dbus/bluetoothd-without-avrcp.conf" $share/
	chmod 755 $bin/ipodderx-car $libexec/*
	chown 65534:65534 $home
	# The guest's sound server is root's: a second door to it.
	HOME=/root PULSE_SERVER=unix:/run/user/0/pulse/native pactl load-module module-native-protocol-unix auth-anonymous=1 socket=$home/pulse >/dev/null
	chmod 777 $home/pulse
	"${as_user[@]}" setsid dbus-daemon --session --nofork --nopidfile --address=$DBUS_SESSION_BUS_ADDRESS >$log/listener-bus.log 2>&1 </dev/null &
	"$here/guest/wait" 30 "the listener's bus" "[ -S $home/bus ]"
}
start_player() {
	IPODDERX_CAR_LOG=info "${as_user[@]}" setsid $bin/ipodderx-car run --server http://127.0.0.1:8040 >>$log/player.log 2>&1 </dev/null &
	echo $! >/run/player.pid
}
stop_player() {
	[ -s /run/player.pid ] || return 0
	p=$(cat /run/player.pid)
	kill "$p" 2>/dev/null
	for _ in $(seq 100); do grep -qs '^State:.[^Z]' "/proc/$p/status" || return 0; sleep 0.1; done
	echo "The player does not end."
	kill -9 "$p"
	return 1
}
case $1 in
install) install_player "$2" ;;
start)
	if [ ! -s /run/server.pid ]; then
		tar --no-same-owner -C /run -xf /share/podcasts.tar
		"${as_user[@]}" setsid $bin/ipodderx-car serve --folder /run/podcasts --port 8040 >$log/server.log 2>&1 </dev/null &
		echo $! >/run/server.pid
		"$here/guest/wait" 60 "the server" "bash -c '</dev/tcp/127.0.0.1/8040'"
	fi
	start_player ;;
stop) stop_player ;;
restart) stop_player && start_player ;;
run) shift; exec "${as_user[@]}" "$@" ;;
esac
