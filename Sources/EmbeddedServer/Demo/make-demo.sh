#!/bin/bash
# Makes the sound, covers and film of the bundled library anew, from the words in texts/ and the notes below.
# What it makes is committed: building needs none of espeak-ng, sox, lame, ffmpeg and python3, this script all of them.
# The words beside the sound (library/*/feed.json, *.chapters.json, .ipodderx/state.json) are written by hand.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rate=22050

# encode WAV MP3 TITLE SHOW [COVER]: 32 kbit/s mono, nothing in it that depends on the day.
encode() {
  local cover=()
  if [ -n "${5:-}" ]; then cover=(--ti "$5"); fi
  lame --quiet -m m -b 32 --resample 22.05 -q 2 --add-id3v2 --id3v2-only --id3v2-utf16 \
    --tt "$3" --tl "$4" --ta "ipodderx-car" --ty 2026 "${cover[@]}" "$1" "library/$2"
}

# speak TEXT VOICE MP3 TITLE SHOW COVER NOTE NOTE [WORDS A MINUTE]: a jingle of two notes of its own, then the words.
speak() {
  espeak-ng -v "$2" -s "${9:-150}" -g 4 -f "texts/$1.txt" -w "$work/voice.wav"
  sox -q -n -r $rate -c 1 -b 16 "$work/jingle.wav" synth 1.6 pluck "$7" synth 1.6 pluck mix "$8" fade t 0 1.6 0.8 norm -6
  sox -q "$work/voice.wav" -r $rate -c 1 -b 16 "$work/words.wav" norm -6 highpass 90 norm -3 pad 0.3 0.8
  sox -q "$work/jingle.wav" "$work/words.wav" "$work/episode.wav"
  encode "$work/episode.wav" "$3" "$4" "$5" "$6"
}

# play MP3 TITLE SHOW SECONDS NOTE…: the notes plucked round and round over a low hum of the first, at 96 a minute.
play() {
  local file=$1 title=$2 show=$3 seconds=$4 parts=() n=0
  shift 4
  for note in "$@"; do
    sox -q -n -r $rate -c 1 -b 16 "$work/note$n.wav" synth 0.625 pluck "$note" fade t 0 0.625 0.15 norm -8
    parts+=("$work/note$n.wav")
    n=$((n + 1))
  done
  sox -q "${parts[@]}" "$work/round.wav" repeat 40
  sox -q "$work/round.wav" "$work/tune.wav" trim 0 "$seconds" reverb 40
  sox -q -n -r $rate -c 1 -b 16 "$work/hum.wav" synth "$seconds" sine "${1/[3-5]/2}" tremolo 0.2 60 norm -16
  sox -q -m "$work/tune.wav" "$work/hum.wav" "$work/piece.wav" fade t 1 "$seconds" 3 norm -3
  [ -z "$file" ] || encode "$work/piece.wav" "$file" "$title" "$show" ""
}

mkdir -p "library/The Quiet Dashboard" "library/News/Tech/Signal Path" "library/Night Road"
python3 make-cover.py "library/The Quiet Dashboard/cover.png" 0.58 road
python3 make-cover.py "library/News/Tech/Signal Path/cover.png" 0.30 rings
python3 make-cover.py "library/Night Road/cover.png" 0.75 waves
python3 make-cover.py "library/Night Road/03-desert.png" 0.08 slant

show="The Quiet Dashboard"
speak welcome en-gb "$show/01-welcome.mp3" "Welcome aboard" "$show" "library/$show/cover.png" C4 G4
speak remember en-gb "$show/02-remember.mp3" "The art of remembering" "$show" "" D4 A4
speak buttons en-gb "$show/03-buttons.mp3" "Two arrows and a button 🎛️" "$show" "" E4 B4

show="Signal Path"
speak bluetooth en-us "News/Tech/$show/01-button.mp3" "Part one: the button" "$show" "" F4 C5
speak soundpath en-us "News/Tech/$show/02-sound.mp3" "Part two: the sound" "$show" "" G4 D5
# A film, which a player without a screen does not offer.
ffmpeg -nostdin -v error -y -f lavfi -i "testsrc=size=160x120:rate=5:duration=3" -f lavfi -i "sine=440:duration=3" \
  -c:v mpeg4 -q:v 20 -c:a aac -b:a 24k -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact \
  "library/News/Tech/$show/03-film.mp4"

show="Night Road"
play "$show/01-motorway.mp3" "夜の高速道路" "$show" 75 A3 E4 A4 C5 B4 E4 G4 E4
play "$show/02-rain.mp3" "Rain on the roof ☔" "$show" 60 D4 F4 A4 D5 C5 A4 F4 E4
speak arabic ar "$show/03-desert.mp3" "طريق الصحراء" "$show" "" B3 F4 100

# Three movements, each in notes of its own: NAME.chapters.json says where they begin.
for movement in "1 40 C4 E4 G4 C5" "2 35 A3 C4 E4 A4 G4 E4" "3 45 F3 A3 C4 F4 E4 C4 D4 C4"; do
  set -- $movement
  n=$1 seconds=$2
  shift 2
  play "" "" "" "$seconds" "$@"
  mv "$work/piece.wav" "$work/movement$n.wav"
done
sox -q "$work"/movement{1,2,3}.wav "$work/suite.wav"
encode "$work/suite.wav" "$show/04-suite.mp3" "Suite for three lanes" "$show" ""
play "$show/05-home.mp3" "Home 🏠" "$show" 62 G3 B3 D4 G4 B4 G4 D4 B3

du -sk library
