/* An audit's findings as a list, a table and an object; see audit.h. */
#include "scheduler/cli/audit.h"

#include "scheduler/cli/table.h"

static const char *const kind_names[MU_FINDING_KIND_COUNT] = {
    [MU_FINDING_GANG_PARTLY_BOUND] = "GangPartlyBound",
    [MU_FINDING_DEVICE_GIVEN_TWICE] = "DeviceGivenTwice",
    [MU_FINDING_DEVICE_OVERCOMMITTED] = "DeviceOvercommitted",
    [MU_FINDING_DEVICE_NOT_FOUND] = "DeviceNotFound",
    [MU_FINDING_DEVICE_TAINTED] = "DeviceTainted",
    [MU_FINDING_NODE_OVERCOMMITTED] = "NodeOvercommitted",
    [MU_FINDING_NODE_NOT_FOUND] = "NodeNotFound",
    [MU_FINDING_RESERVED_FOR_NOBODY] = "ReservedForNobody",
    [MU_FINDING_RESERVED_FOR_TOO_MANY] = "ReservedForTooMany",
    [MU_FINDING_ALLOCATED_FOR_NOBODY] = "AllocatedForNobody",
};

const char *mu_finding_kind_name(enum mu_finding_kind kind) {
    return kind_names[kind];
}

struct mu_finding *mu_audit_find(struct mu_audit *audit, enum mu_finding_kind kind) {
    MU_VEC_PUSH(audit->arena, &audit->findings, (struct mu_finding){.kind = kind});
    return &audit->findings.items[audit->findings.len - 1];
}

void mu_audit_involve(struct mu_audit *audit, struct mu_finding *finding, const char *kind,
                      const struct mu_meta *meta) {
    MU_VEC_PUSH(audit->arena, &finding->objects, (struct mu_finding_object){kind, meta->namespace, meta->name});
}

void mu_audit_all(struct mu_audit *audit, int64_t now_ns) {
    mu_audit_index_consumers(audit);
    mu_audit_gangs(audit, now_ns);
    mu_audit_devices(audit, now_ns);
    mu_audit_nodes(audit);
    mu_audit_claims(audit);
}

static struct mu_str object_text(const struct mu_audit *audit, const struct mu_finding_object *object) {
    const struct mu_symbols *symbols = &audit->store->symbols;
    return mu_str_printf(audit->arena, "%s " MU_STR_FMT "%s" MU_STR_FMT, object->kind,
                         MU_STR_ARG(mu_text(symbols, object->namespace)), object->namespace ? "/" : "",
                         MU_STR_ARG(mu_text(symbols, object->name)));
}

void mu_audit_print(const struct mu_audit *audit, const struct mu_terminal *terminal) {
    static const struct mu_column columns[] = {{.title = "KIND"},
                                               {.title = "OBJECTS", .shrinks = true},
                                               {.title = "WHAT"}};
    enum { KIND = 0, OBJECTS, WHAT, COLUMNS_COUNT };
    if (audit->findings.len == 0) {
        fputs("Nothing found that must not be.\n", terminal->out);
        return;
    }
    struct mu_table table = {.arena = audit->arena, .columns = columns, .columns_len = COLUMNS_COUNT};
    for (size_t f = 0; f < audit->findings.len; f++) {
        const struct mu_finding *finding = &audit->findings.items[f];
        for (size_t o = 0; o < finding->objects.len; o++) {
            struct mu_row *row = mu_table_row(&table);
            mu_row_set(&table, row, OBJECTS, object_text(audit, &finding->objects.items[o]), MU_TONE_PLAIN);
            if (o > 0)
                continue;
            mu_row_set(&table, row, KIND, mu_str_from(mu_finding_kind_name(finding->kind)), MU_TONE_BAD);
            mu_row_set(&table, row, WHAT, finding->message, MU_TONE_PLAIN);
        }
    }
    mu_table_print(&table, terminal);
    fprintf(terminal->out, "\n%zu finding%s.\n", audit->findings.len, audit->findings.len == 1 ? "" : "s");
}

static void write_finding(const struct mu_audit *audit, const struct mu_finding *finding, struct mu_writer *writer) {
    const struct mu_symbols *symbols = &audit->store->symbols;
    mu_writer_object(writer);
    mu_writer_key_str(writer, "kind", mu_str_from(mu_finding_kind_name(finding->kind)));
    mu_writer_key(writer, "objects");
    mu_writer_array(writer);
    for (size_t o = 0; o < finding->objects.len; o++) {
        const struct mu_finding_object *object = &finding->objects.items[o];
        mu_writer_object(writer);
        mu_writer_key_str(writer, "kind", mu_str_from(object->kind));
        if (object->namespace)
            mu_writer_key_str(writer, "namespace", mu_text(symbols, object->namespace));
        mu_writer_key_str(writer, "name", mu_text(symbols, object->name));
        mu_writer_object_end(writer);
    }
    mu_writer_array_end(writer);
    mu_writer_key_str(writer, "message", finding->message);
    mu_writer_object_end(writer);
}

void mu_audit_write(const struct mu_audit *audit, struct mu_writer *writer) {
    mu_writer_object(writer);
    mu_writer_key_str(writer, "apiVersion", MU_STR("scheduling.muster.dev/v1alpha1"));
    mu_writer_key_str(writer, "kind", MU_STR("Audit"));
    mu_writer_key(writer, "findings");
    mu_writer_array(writer);
    for (size_t f = 0; f < audit->findings.len; f++)
        write_finding(audit, &audit->findings.items[f], writer);
    mu_writer_array_end(writer);
    mu_writer_object_end(writer);
    mu_writer_finish(writer);
}
