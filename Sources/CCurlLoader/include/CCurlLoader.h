// Nothing to call: linking this is using it. See CCurlLoader.c.
#pragma once
