"""Models on this machine: weights fetched once, served by llama.cpp's own HTTP server."""

from afere.endpoints.local.digest import gguf_digest
from afere.endpoints.local.endpoint import LlamaEndpoint
from afere.endpoints.local.llama import LlamaServer, LlamaSettings, engine_version, llama_endpoint
from afere.endpoints.local.requantize import Requantized, requantize
from afere.endpoints.local.weights import (
    KNOWN_WEIGHTS,
    Progress,
    Weights,
    fetch_weights,
    find_weights,
)

__all__ = [
    "KNOWN_WEIGHTS",
    "LlamaEndpoint",
    "LlamaServer",
    "LlamaSettings",
    "Progress",
    "Requantized",
    "Weights",
    "engine_version",
    "fetch_weights",
    "find_weights",
    "gguf_digest",
    "llama_endpoint",
    "requantize",
]
