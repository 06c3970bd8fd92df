// Tests of DBus.
