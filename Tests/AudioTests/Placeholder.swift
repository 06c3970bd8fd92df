// Tests of Audio.
