// Tests of Remote.
