#!/bin/bash
# phone.sh start|stop|restart PROGRAM: the server and the player in the phone guest.
program=$2
log=/share/phone
start_player() {
	IPODDERX_CAR_LOG=info setsid "$program" run --server http://127.0.0.1:8040 >>$log/player.log 2>&1 </dev/null &
	echo $! >/run/player.pid
}
stop_player() {
	[ -s /run/player.pid ] || return 0
	p=$(cat /run/player.pid)
	kill "$p" 2>/dev/null
	for _ in $(seq 50); do kill -0 "$p" 2>/dev/null || break; sleep 0.1; done
}
case $1 in
start)
	if [ ! -s /run/server.pid ]; then
		# Out of the shared folder, which is slow: a thousand files are looked at.
		cp -R /share/podcasts /run/podcasts
		setsid "$program" serve --folder /run/podcasts --port 8040 >$log/server.log 2>&1 </dev/null &
		echo $! >/run/server.pid
	fi
	start_player ;;
stop) stop_player ;;
restart) stop_player; start_player ;;
esac
