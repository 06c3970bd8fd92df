// Shared helpers of the tests, one a file.
