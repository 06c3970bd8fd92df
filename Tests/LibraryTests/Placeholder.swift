// Tests of Library.
