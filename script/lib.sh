# What the scripts of this folder have in common; each begins with `. "$(dirname "$0")/lib.sh"`.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Colour for people at a terminal only, and never where NO_COLOR says no (https://no-color.org).
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
else
    bold='' dim='' plain=''
fi

# A step that begins, on standard error so that it never mixes with what a command prints.
say() {
    printf '%s==> %s%s\n' "$bold" "$*" "$plain" >&2
}

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Runs a command that nobody wants to watch; its output is shown where it fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if ((status != 0)); then
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

# configure DIR [MESON_OPTION...]: makes a build folder, or changes its options where they were others. The compiler is
# $CC, else gcc; a build folder keeps the one that it was made with.
configure() {
    local dir=$1 options="${*:2}" again=()
    if [[ -f $dir/build.ninja ]]; then
        if [[ -f $dir/.options && $(<"$dir/.options") == "$options" ]]; then
            return 0
        fi
        again=(--reconfigure)
    fi
    say "configuring $dir"
    CC=${CC:-gcc} quietly meson setup "${again[@]}" "$dir" "${@:2}" || return
    printf '%s\n' "$options" >"$dir/.options"
}

# compile DIR [TARGET...]
compile() {
    local quiet=(--quiet)
    say "building $1"
    if [[ -t 2 ]]; then
        quiet=()
    fi
    ninja -C "$1" "${quiet[@]}" ${JOBS:+-j "$JOBS"} "${@:2}" >&2
}
