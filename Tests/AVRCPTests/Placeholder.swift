// Tests of AVRCP.
