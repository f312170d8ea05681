/* The devices of a snapshot, as `muster devices` shows them: where they are, who has them, what is left. Pure functions
 * over the objects; the same objects give the same report, whatever their order. */
#ifndef MU_CLI_DEVICES_REPORT_H
#define MU_CLI_DEVICES_REPORT_H

#include "scheduler/cli/audit.h"
#include "scheduler/devices/allocator.h"

/* What can be done with a device, or with the best device of a card. */
enum mu_left {
    MU_LEFT_FREE = 0, /* nobody has anything of it */
    MU_LEFT_PARTLY,   /* somebody has a part, and another can be had */
    MU_LEFT_NONE,     /* taken, itself or by way of its card */
    MU_LEFT_TAINTED,  /* free, and a taint keeps claims away that do not tolerate it */
    MU_LEFT_UNUSABLE, /* its pool is incomplete or invalid */
    MU_LEFT_COUNT
};

struct mu_device_holder {
    const struct mu_claim *claim;
    const struct mu_device_result *result;
};

struct mu_device_taint_source {
    const struct mu_device_taint *taint;
    const struct mu_taint_rule *rule; /* NULL: the slice says it */
};

struct mu_report_device {
    const struct mu_slice *slice;
    const struct mu_device *device;
    uint32_t place, card;
    enum mu_left left;
    struct mu_str why;                        /* what keeps it from being free, where that is not its own holders */
    MU_VEC(struct mu_device_holder) holders;  /* in the order of claims; administrative access is not among them */
    MU_VEC(struct mu_device_holder) watchers; /* those with administrative access */
    MU_VEC(struct mu_device_taint_source) taints;
    MU_VEC(uint32_t) classes; /* indexes in the store's */
    MU_VEC(uint32_t) twins;   /* one device of each other driver that is the same card, or a part of it */
    uint32_t whole, shares;   /* holders of each kind */
    mu_i128 *consumed;        /* nano, of each of device->capacity; by shares */
};

struct mu_report_counter {
    mu_sym name;
    mu_i128 total, left; /* nano; left may be below 0 */
};

/* A set of counters that a pool shares out. */
struct mu_report_set {
    const struct mu_slice *slice;
    mu_sym name;
    struct mu_report_counter *counters; /* by name, numbers in names as numbers */
    uint32_t counters_len;
};

/* Devices of one place that share one counter set; or one device alone. */
struct mu_report_card {
    uint32_t place;
    uint32_t set;             /* UINT32_MAX: none */
    MU_VEC(uint32_t) devices; /* by name */
    bool touched;             /* somebody has something of it, perhaps through another driver */
    bool counted;             /* by the filters of nodes and classes */
    bool shown;               /* by all filters */
    enum mu_left left;        /* of all its devices that are shown */
};

/* What a device plugin gives out by number. */
struct mu_report_extended {
    mu_sym resource;
    int64_t total, used;
    MU_VEC(const struct mu_pod *) pods; /* that have some, in the order of the store */
};

/* From where devices can be used: a node, or several. */
struct mu_report_place {
    mu_sym node; /* 0: several */
    bool all_nodes;
    bool missing; /* the node is not in the input */
    bool shown;
    MU_VEC(mu_sym) nodes; /* of several: those in the input, by name */
    MU_VEC(uint32_t) cards;
    MU_VEC(struct mu_report_extended) extended;
};

/* Numbers of cards by what is left. */
struct mu_left_counts {
    uint32_t of[MU_LEFT_COUNT];
};

struct mu_report_note {
    const char *kind;
    bool wrong; /* else it is only good to know */
    struct mu_str text;
};

struct mu_devices_report {
    struct mu_arena *arena;
    struct mu_store *store;
    const struct mu_settings *settings;
    struct mu_alloc *alloc;
    struct mu_audit audit; /* for who uses claims */
    int64_t now_ns;
    /* Filters: 0 and false where there are none. */
    mu_sym node, class;
    bool free_only;
    MU_VEC(struct mu_report_device) devices;
    MU_VEC(struct mu_report_set) sets;
    MU_VEC(struct mu_report_card) cards;
    MU_VEC(struct mu_report_place) places;
    uint32_t *place_order; /* nodes by name, then what several nodes reach */
    MU_VEC(struct mu_report_note) notes;
    MU_VEC(struct mu_device_holder) lost; /* allocations of devices that no slice publishes */
    struct mu_map device_by_name;         /* driver, pool, device: three symbols */
};

/* Fills the report in, whose first fields (down to the filters, save alloc and audit) the caller has set. Inside
 * mu_arena_run(). Errors: MU_E_LIMIT; MU_E_USAGE where a filter names what is not there. */
int mu_devices_report_make(struct mu_devices_report *report, struct mu_err *err) MU_MUST_USE;

/* Its parts, in this order. */
int mu_devices_gather(struct mu_devices_report *report, struct mu_err *err) MU_MUST_USE;
void mu_devices_judge(struct mu_devices_report *report);
void mu_devices_note(struct mu_devices_report *report);

/* What is left of a card for the class (an index in the store's; UINT32_MAX: any). False where no device of the card is
 * of that class. */
bool mu_card_left(const struct mu_devices_report *report, const struct mu_report_card *card, uint32_t class,
                  enum mu_left *ret);
/* Of the cards of a place (UINT32_MAX: of all) that the filters of nodes and classes let through. */
struct mu_left_counts mu_devices_count(const struct mu_devices_report *report, uint32_t place, uint32_t class);

/* "free", "in part", "taken", "tainted", "unusable". */
const char *mu_left_word(enum mu_left left);
/* "Free", "PartlyUsed", "Taken", "Tainted", "Unusable". */
const char *mu_left_name(enum mu_left left);

/* "40Gi", "250m". */
struct mu_str mu_device_amount(struct mu_arena *arena, mu_i128 nano);
/* "driver/pool/device" */
struct mu_str mu_device_key(const struct mu_devices_report *report, mu_sym driver, mu_sym pool, mu_sym device);
/* Names with numbers in them as people count: gpu-2 before gpu-10. <0, 0, >0; 0 of equal texts only. */
int mu_natural_cmp(struct mu_str a, struct mu_str b);

void mu_devices_print(const struct mu_devices_report *report, const struct mu_terminal *terminal, bool wide);
void mu_devices_write(const struct mu_devices_report *report, struct mu_writer *writer);

#endif
