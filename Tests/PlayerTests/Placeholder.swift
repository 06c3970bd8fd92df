// Tests of Player.
