"""In which language a user reads: what the environment's locale says."""

from collections.abc import Mapping

__all__ = ["language_of"]

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(environ: Mapping[str, str]) -> str:
    """Give `en`, `pt-BR` or `zh-CN`: the locale's language, English where it is another.

    The first of LC_ALL, LC_MESSAGES and LANG that is set decides, as for every program.
    """
    locale = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    language = locale.partition(".")[0].partition("@")[0].replace("-", "_").lower()
    if language == "pt" or language.startswith("pt_"):
        return "pt-BR"
    if language in {"zh", "zh_cn", "zh_sg", "zh_hans"} or language.startswith("zh_hans_"):
        return "zh-CN"
    return "en"
