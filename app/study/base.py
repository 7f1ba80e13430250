# SPDX-License-Identifier: BSD-3-Clause
# What both verbs share: refusals with an exit code, options of a command line, files written whole.
import os

FORMATS = ("png", "svg", "pdf")  # of plots


class Refusal(Exception):
    """One clear error; code 2: bad input, 3: the machine lacks something."""
    def __init__(self, code, words):
        super().__init__(words)
        self.code = code


def refuse(words):
    raise Refusal(2, words)


def write_whole(path, text):
    """Never half a file, whenever the program ends."""
    part = f"{path}.{os.getpid()}.partial"
    try:
        with open(part, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise Refusal(3, f"{path} cannot be written: {error.strerror}") from error


def seconds_words(seconds):
    """45 s, 3 min 20 s, 2 h 5 min."""
    seconds = max(int(seconds + 0.5), 0)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def ranks_words(count):
    return f"{count} rank" if count == 1 else f"{count} ranks"


def split_option(word):
    """--some-name=value: some_name and the value, None without one."""
    name, equals, value = word[2:].partition("=")
    return name.replace("-", "_"), value if equals else None


def read_options(words, valued, flags, for_others=()):
    """The options of `valued` and `flags` by name, and the words that are none of them, in order.
    Names are taken with - and _ alike; values of `for_others` may begin with --."""
    found, rest, words = {}, [], list(words)
    while words:
        word = words.pop(0)
        name, value = split_option(word) if word.startswith("--") else ("", None)
        if name in flags and value is None:
            found[name] = True
            continue
        if name not in valued and name not in flags:
            rest.append(word)
            continue
        if name in flags:
            refuse(f"{word}: --{name.replace('_', '-')} takes no value")
        if name in found:
            refuse(f"--{name.replace('_', '-')} is given twice")
        if value is None and (not words or words[0].startswith("--") and name not in for_others):
            refuse(f"--{name.replace('_', '-')}: a value is missing; allowed: {valued[name]}")
        found[name] = words.pop(0) if value is None else value
    return found, rest


def choice(name, value, allowed):
    if value not in allowed:
        refuse(f"--{name} '{value}'; allowed: {', '.join(allowed)}")
    return value


def names(name, value, allowed):
    """Some of the allowed names, with commas."""
    found = [word.strip() for word in value.split(",")]
    for word in found:
        if word not in allowed:
            refuse(f"--{name} '{value}': '{word}' is not known; allowed, with commas: "
                   f"{', '.join(allowed)}")
    return found


def positive(name, value, most):
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number <= most:
        refuse(f"--{name} '{value}'; allowed: a number above 0, at most {most}")
    return number


def whole(name, value, least, most):
    if not (value.isdecimal() and value.isascii() and least <= int(value) <= most):
        refuse(f"--{name} '{value}'; allowed: a whole number {least}..{most}")
    return int(value)
