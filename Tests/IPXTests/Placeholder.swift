// Tests of IPX.
