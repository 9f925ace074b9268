#ifndef EVENTBUS_CNATS_SHIM_H
#define EVENTBUS_CNATS_SHIM_H

#include <nats/nats.h>

#endif
