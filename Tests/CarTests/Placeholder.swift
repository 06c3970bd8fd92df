// Tests of Car.
