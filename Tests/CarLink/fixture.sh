#!/bin/bash
# fixture.sh FOLDER: what the phone serves: one show of tones to hear, one of a thousand short episodes to page through.
set -euo pipefail
folder=$1
mkdir -p "$folder/Tones" "$folder/Thousand"
tone() { # FREQUENCY SECONDS FILE
	ffmpeg -v error -y -f lavfi -i "sine=frequency=$1:duration=$2" -ac 2 -ar 44100 -b:a 96k "$3"
}
[ -s "$folder/Tones/Low tone.mp3" ] || tone 440 300 "$folder/Tones/Low tone.mp3"
[ -s "$folder/Tones/High tone.mp3" ] || tone 1000 300 "$folder/Tones/High tone.mp3"
short=$folder/Thousand/Episode.mp3
if [ ! -e "$folder/Thousand/Episode 1000.mp3" ]; then
	tone 300 1 "$short"
	for n in $(seq -w 1 1000); do cp "$short" "$folder/Thousand/Episode $n.mp3"; done
	rm "$short"
fi
