#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// Computed macros that Swift does not import.
static const int cav_error_eof = AVERROR_EOF;
static const int64_t cav_no_pts = AV_NOPTS_VALUE;
static const int cav_error_exit = AVERROR_EXIT;
static const int cav_error_invalid = AVERROR_INVALIDDATA;
static inline int cav_error(int code) { return AVERROR(code); }
