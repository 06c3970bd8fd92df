// Nothing to call: linking this is using it. See CMicrohttpdLoader.c.
#pragma once
