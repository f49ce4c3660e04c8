#ifndef WAYBILL_CPCRE2_SHIM_H
#define WAYBILL_CPCRE2_SHIM_H

// Names are bytes, so only the functions for code units of 8 bits are wanted.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
