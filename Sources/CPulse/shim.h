#pragma once
#include <pulse/pulseaudio.h>

/// S16 in this machine's byte order; a macro that Swift does not import.
static inline pa_sample_format_t cpulse_s16_native(void) { return PA_SAMPLE_S16NE; }
