#pragma once
// The ready-made callback tables are mutable C globals, which strict concurrency refuses.
#define OV_EXCLUDE_STATIC_CALLBACKS
#include <vorbis/vorbisfile.h>
