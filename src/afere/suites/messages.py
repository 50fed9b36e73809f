"""Reads chat messages as an item's input; images come from files beside the suite."""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afere.domain import Message
from afere.suites.beside import file_beside
from afere.suites.fields import Fields
from afere.suites.node import Node, plain, quoted

__all__ = ["Messages"]

MOST_IMAGE_BYTES = 20 * 1024 * 1024
_ROLES = ("system", "developer", "user", "assistant")
_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


@dataclass(frozen=True, slots=True)
class Messages:
    """Reads messages; `folder` is where image files may stand, None where there can be none."""

    folder: Path | None

    def read(self, node: Node, fields: Fields, *, templated: bool) -> tuple[Message, ...]:
        """Give the messages of the field `input`; raises SuiteError for what cannot be sent."""
        if templated:
            raise fields.fault(
                "a prompt template cannot be filled with chat messages",
                "input",
                "give the input as text, or take the suite's `prompt` out",
                node,
            )
        elements = node.value if isinstance(node.value, tuple) else ()
        messages = tuple(self._message(each, fields) for each in elements)
        if not messages or messages[-1].role == "assistant":
            raise fields.fault(
                "the messages must end with one to answer", "input", "end with `role: user`", node
            )
        return messages

    def _message(self, node: Node, outer: Fields) -> Message:
        fields = Fields.of(node, outer.file, f"{outer.path}.input")
        fields.refuse_unknown(("role", "content"))
        fields.required("role")
        role = fields.one_of("role", _ROLES)
        content = fields.required("content")
        if isinstance(content.value, tuple):
            parts = tuple(self._part(each, fields) for each in content.value)
            if not parts:
                raise fields.fault("the content is empty", "content", "write the message", content)
            return Message(role=role, content=parts)
        text = fields.as_text(content, "content")
        if not text.strip():
            raise fields.fault("the content is empty", "content", "write the message", content)
        return Message(role=role, content=text)

    def _part(self, node: Node, outer: Fields) -> dict[str, Any]:
        fields = Fields.of(node, outer.file, f"{outer.path}.content")
        if "image" in fields.nodes:
            fields.refuse_unknown(("type", "image"))
            url = self._image(fields)
            return {"type": "image_url", "image_url": {"url": url}}
        fields.required("type")
        return dict(plain(node, fields.file))

    def _image(self, fields: Fields) -> str:
        node = fields.required("image")
        name = fields.as_text(node, "image")
        path = file_beside(self.folder, name)
        if path is None:
            mend = "name a file in the suite's folder or below it, with `/` between the parts"
            raise fields.fault(f"no image {quoted(name)} beside the suite", "image", mend, node)
        try:
            with path.open("rb") as file:
                data = file.read(MOST_IMAGE_BYTES + 1)
        except OSError as error:
            problem = f"the image cannot be read: {error.strerror}"
            raise fields.fault(problem, "image", "look at its permissions", node) from error
        kind = _image_kind(data)
        if kind is None or len(data) > MOST_IMAGE_BYTES:
            mend = f"PNG, JPEG, GIF or WebP of at most {MOST_IMAGE_BYTES // 1024 // 1024} MiB"
            raise fields.fault("this file cannot be sent as an image", "image", mend, node)
        return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _image_kind(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), None)
