// Tests of MPRIS.
