// Tests of Formats.
