// The first part of this module stands here until its own files do.
