/* See completion.h. The scripts hold everything that they offer, so that completing runs nothing of ours. */
#include "scheduler/cli/completion.h"

#include "scheduler/cli/commands.h"
#include "scheduler/cli/help_topics.h"
#include <string.h>

/* What to do with the words of the help text, up to the first sign that ends a clause. */
static int clause_len(const char *text) {
    size_t len = 0;
    while (text[len] && !(strchr(".:,;", text[len]) && (text[len + 1] == ' ' || !text[len + 1])) &&
           !(text[len] == ' ' && text[len + 1] == '('))
        len++;
    return (int)len;
}

/* Text inside single quotes of a shell; zsh also gives a meaning to the others. */
static void print_quoted(FILE *out, const char *text, int len, const char *escaped) {
    for (int i = 0; i < len; i++) {
        if (text[i] == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr(escaped, text[i]))
            putc('\\', out);
        putc(text[i], out);
    }
}

static void print_words(FILE *out, const char *const *words) {
    for (const char *const *word = words; *word; word++)
        fprintf(out, "%s%s", word == words ? "" : " ", *word);
}

/* ------------------------------------------------------------------ bash */

static void bash_option_names(FILE *out, const struct mu_option *option) {
    if (option->letter)
        fprintf(out, "-%c|", option->letter);
    fprintf(out, "--%s", option->name);
}

static void bash_values(FILE *out, const struct mu_command *command) {
    for (unsigned i = 0; i < command->options_len; i++) {
        const struct mu_option *option = &command->options[i];
        if (option->takes == MU_TAKES_NOTHING)
            continue;
        fputs("        ", out);
        bash_option_names(out, option);
        if (option->takes == MU_TAKES_PATH) {
            fputs(") _muster_paths; return ;;\n", out);
        } else if (option->takes == MU_TAKES_CHOICE) {
            fputs(") _muster_words '", out);
            print_words(out, option->choices);
            fputs("'; return ;;\n", out);
        } else {
            fputs(") return ;;\n", out);
        }
    }
}

static void bash_command(FILE *out, const struct mu_command *command) {
    fprintf(out, "    %s)\n        case $prev in\n", command->name);
    bash_values(out, command);
    fputs("        esac\n"
          "        if [[ $cur == -* ]]; then\n"
          "            _muster_words '",
          out);
    for (unsigned i = 0; i < command->options_len; i++)
        fprintf(out, "--%s ", command->options[i].name);
    fputs("--help'\n", out);
    if (command->operands == MU_TAKES_PATH) {
        fputs("        else\n            _muster_paths\n", out);
    } else if (command->operands == MU_TAKES_CHOICE) {
        fputs("        else\n            _muster_words '", out);
        print_words(out, command->operand_choices);
        fputs("'\n", out);
    }
    fputs("        fi\n        ;;\n", out);
}

void mu_completion_bash(FILE *out) {
    fputs("# Completion for bash, printed by `muster completion bash`.\n"
          "# Try it with: source <(muster completion bash)\n"
          "_muster_words() {\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
          "}\n"
          "_muster_paths() {\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
          "}\n"
          "_muster() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        _muster_words '",
          out);
    for (const struct mu_command *const *c = mu_commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version'\n"
          "        return\n"
          "    fi\n"
          "    # --output=json is three words to bash.\n"
          "    if [[ $cur == = ]]; then\n"
          "        cur=\n"
          "    elif [[ $prev == = ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (const struct mu_command *const *c = mu_commands; *c; c++)
        bash_command(out, *c);
    fputs("    esac\n"
          "}\n"
          "complete -F _muster muster\n",
          out);
}

/* ------------------------------------------------------------------ zsh */

static void zsh_value(FILE *out, enum mu_takes takes, const char *name, const char *const *choices) {
    fprintf(out, ":%s:", name);
    if (takes == MU_TAKES_PATH) {
        fputs("_files", out);
    } else if (takes == MU_TAKES_CHOICE) {
        putc('(', out);
        print_words(out, choices);
        putc(')', out);
    }
}

/* One option of _arguments: both its names exclude each other, unless it may be repeated. */
static void zsh_option(FILE *out, const struct mu_option *option) {
    char letter = option->letter;
    fputs(" \\\n            ", out);
    if (letter)
        fprintf(out, "'*'{-%c%s,--%s%s}'", letter, option->takes ? "+" : "", option->name, option->takes ? "=" : "");
    else
        fprintf(out, "'*--%s%s", option->name, option->takes ? "=" : "");
    putc('[', out);
    print_quoted(out, option->help, clause_len(option->help), "[]:\\");
    putc(']', out);
    if (option->takes)
        zsh_value(out, option->takes, option->value, option->choices);
    putc('\'', out);
}

static void zsh_command(FILE *out, const struct mu_command *command) {
    fprintf(out, "        (%s)\n            _arguments '*'{-h,--help}'[Show help]'", command->name);
    for (unsigned i = 0; i < command->options_len; i++)
        zsh_option(out, &command->options[i]);
    if (command->operands == MU_TAKES_PATH)
        fputs(" \\\n            '*:file:_files'", out);
    if (command->operands == MU_TAKES_CHOICE) {
        fputs(" \\\n            '1", out);
        zsh_value(out, command->operands, "word", command->operand_choices);
        putc('\'', out);
    }
    fputs("\n            ;;\n", out);
}

void mu_completion_zsh(FILE *out) {
    fputs("#compdef muster\n"
          "# Completion for zsh, printed by `muster completion zsh`; save it as _muster in a folder of $fpath.\n"
          "_muster() {\n"
          "    local curcontext=$curcontext state line\n"
          "    local -a commands\n"
          "    commands=(\n",
          out);
    for (const struct mu_command *const *c = mu_commands; *c; c++) {
        fprintf(out, "        '%s:", (*c)->name);
        print_quoted(out, (*c)->summary, (int)strlen((*c)->summary), ":\\");
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)'{-h,--help}'[Show help]' '(- *)--version[Print the version]' \\\n"
          "        '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n"
          "    (command) _describe -t commands 'muster command' commands ;;\n"
          "    (argument)\n"
          "        case $words[1] in\n",
          out);
    for (const struct mu_command *const *c = mu_commands; *c; c++)
        zsh_command(out, *c);
    fputs("        esac\n"
          "        ;;\n"
          "    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _muster ]]; then\n"
          "    _muster \"$@\"\n"
          "else\n"
          "    compdef _muster muster\n"
          "fi\n",
          out);
}

/* ------------------------------------------------------------------ fish */

static void fish_option(FILE *out, const struct mu_command *command, const struct mu_option *option) {
    fprintf(out, "complete -c muster -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->takes == MU_TAKES_PATH) {
        fputs(" -r -F", out);
    } else if (option->takes == MU_TAKES_CHOICE) {
        fputs(" -x -a '", out);
        print_words(out, option->choices);
        putc('\'', out);
    } else if (option->takes == MU_TAKES_TEXT) {
        fputs(" -x", out);
    }
    fputs(" -d '", out);
    /* fish has its own way to put a quote into quotes. */
    int len = clause_len(option->help);
    for (int i = 0; i < len; i++)
        fprintf(out, option->help[i] == '\'' || option->help[i] == '\\' ? "\\%c" : "%c", option->help[i]);
    fputs("'\n", out);
}

void mu_completion_fish(FILE *out) {
    fputs("# Completion for fish, printed by `muster completion fish`; save it as\n"
          "# ~/.config/fish/completions/muster.fish\n"
          "complete -c muster -f\n"
          "complete -c muster -s h -l help -d 'Show help'\n"
          "complete -c muster -n __fish_use_subcommand -l version -d 'Print the version'\n",
          out);
    for (const struct mu_command *const *c = mu_commands; *c; c++) {
        const struct mu_command *command = *c;
        fprintf(out, "complete -c muster -n __fish_use_subcommand -a %s -d '%s'\n", command->name, command->summary);
        for (unsigned i = 0; i < command->options_len; i++)
            fish_option(out, command, &command->options[i]);
        if (command->operands == MU_TAKES_PATH)
            fprintf(out, "complete -c muster -n '__fish_seen_subcommand_from %s' -F\n", command->name);
        if (command->operands == MU_TAKES_CHOICE) {
            fprintf(out, "complete -c muster -n '__fish_seen_subcommand_from %s' -a '", command->name);
            print_words(out, command->operand_choices);
            fputs("'\n", out);
        }
    }
}
