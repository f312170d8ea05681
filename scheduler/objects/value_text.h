/* A value as JSON text, for what muster carries without understanding it. */
#ifndef MU_OBJECTS_VALUE_TEXT_H
#define MU_OBJECTS_VALUE_TEXT_H

#include "scheduler/objects/value.h"

/* Adds the value, without spaces; fields and numbers stay in their order and form. Recurses no deeper than readers
 * nest. */
void mu_value_add_text(struct mu_buf *buf, const struct mu_value *value);

#endif
