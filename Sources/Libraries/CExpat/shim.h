#ifndef WAYBILL_CEXPAT_SHIM_H
#define WAYBILL_CEXPAT_SHIM_H

#include <expat.h>

#endif
