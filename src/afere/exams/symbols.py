"""Glyph numbers and symbol codes, and the characters that they draw."""

__all__ = ["MAC_ORDER", "is_strange", "sign_of", "symbol_sign"]

# The order of the standard glyphs as fonts have it: without the no-break space, which the standard
# puts before À. The first three draw nothing.
MAC_ORDER = (
    "\ufffd\ufffd\ufffd !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
    "abcdefghijklmnopqrstuvwxyz{|}~"
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
    "¿¡¬√ƒ≈∆«»…"
    "ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\ufffdÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣Ğğİ"
    "ŞşĆćČčđ"
)
# The Symbol font: its codes, which stand 29 above its glyph numbers.
SYMBOL = {
    " ": " ", "!": "!", "(": "(", ")": ")", "+": "+", ",": ",", "-": "−", ".": ".", "=": "=",
    "<": "<", ">": ">", "[": "[", "]": "]", "/": "/", "0": "0", "1": "1", "2": "2", "3": "3",
    "4": "4", "5": "5", "6": "6", "7": "7", "8": "8", "9": "9", ":": ":", "%": "%", "a": "α",
    "b": "β", "c": "χ", "d": "δ", "e": "ε", "f": "φ", "g": "γ", "h": "η", "i": "ι", "j": "ϕ",
    "k": "κ", "l": "λ", "m": "μ", "n": "ν", "o": "ο", "p": "π", "q": "θ", "r": "ρ", "s": "σ",
    "t": "τ", "u": "υ", "w": "ω", "x": "ξ", "y": "ψ", "z": "ζ", "D": "Δ", "F": "Φ", "G": "Γ",
    "L": "Λ", "P": "Π", "S": "Σ", "W": "Ω", "Q": "Θ", "~": "∼",
}  # fmt: skip
SYMBOL_HIGH = {0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xA3: "≤", 0xB4: "×", 0xB7: "•", 0xB9: "≠",
               0xBA: "≡", 0xBB: "≈", 0xA5: "∞", 0xAE: "→", 0xD6: "√", 0xD7: "⋅", 0xCE: "∈",
               0xB2: "″", 0xA2: "′", 0xB8: "÷", 0xC7: "∩", 0xC8: "∪", 0xCC: "⊂", 0xDE: "⇒",
               0xDB: "⇔", 0xAC: "←", 0xD0: "∠", 0x5E: "⊥"}  # fmt: skip
SYMBOL_OFFSET = 29  # from a glyph's number to its code in the Symbol font
PRIVATE = 0xF000  # where fonts put the codes of symbols


def is_strange(sign: str) -> bool:
    """Tell whether a character is a control, private or replacement character."""
    return sign < " " or "\x7f" <= sign < "\xa0" or "\ue000" <= sign <= "\uf8ff" or sign == "\ufffd"


def sign_of(number: int, *, symbol: bool) -> str:
    """Give the character of a glyph number, U+FFFD where none is known."""
    if symbol:
        return symbol_sign(number + SYMBOL_OFFSET)
    return MAC_ORDER[number] if number < len(MAC_ORDER) else "\ufffd"


def symbol_sign(code: int) -> str:
    """Give the character of a code of the Symbol font, U+FFFD where none is known."""
    return SYMBOL.get(chr(code)) or SYMBOL_HIGH.get(code) or "\ufffd"
