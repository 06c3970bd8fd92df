// Tests of Media.
