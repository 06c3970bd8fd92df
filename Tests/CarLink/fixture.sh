#!/bin/bash
# fixture.sh SHARE: makes SHARE/podcasts.tar, what the phone serves: one show of tones to hear, one of a thousand short episodes to page
# through. One file, as a guest takes half a minute over a thousand of the shared folder's.
set -euo pipefail
[ ! -s "$1/podcasts.tar" ] || exit 0
folder=$1/podcasts
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
tar -C "$1" -cf "$1/podcasts.new" podcasts
rm -rf "$folder"
mv "$1/podcasts.new" "$1/podcasts.tar"
