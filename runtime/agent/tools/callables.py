"""A Python function as a tool: its signature, with types, is the schema that its arguments are held against."""

from __future__ import annotations

import asyncio
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...kernel.content import Content, Image, Opaque, Text
from .arguments import ToolError
from .tool import AgentTool, Run, ToolContext, ToolOutput, failed

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


#: Faults of the arguments that are told at once.
_FAULTS = 5


def tool_of(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    plugin: str | None = None,
) -> AgentTool:
    """The tool that calls ``function``.

    Every parameter must have a type that pydantic can check (``Annotated[int, Field(ge=1, description="…")]`` says
    more); one of type ToolContext is given by dcc, and no model sees it. ``name`` and ``description`` are else those
    of the function: the description is its docstring. It may be a coroutine function. What it returns becomes the
    output: a ToolOutput, content, or any value that JSON can hold. What it raises is told to the model.
    Raises ToolError (``bad_signature``).
    """
    name = name or str(getattr(function, "__name__", "tool"))
    parameters, context_names = _parameters(function, name)
    model = _model(name, parameters)
    schema = model.model_json_schema()
    schema.pop("title", None)
    for described in schema.get("properties", {}).values():
        described.pop("title", None)
    text = description if description is not None else inspect.cleandoc(function.__doc__ or "")
    return AgentTool(name, text, schema, _runner(function, name, model, context_names), plugin)


def _parameters(function: Callable[..., Any], name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(type, default) by parameter, and the parameters that take the context."""
    try:
        types = typing.get_type_hints(function, include_extras=True)
        signature = inspect.signature(function)
    except (NameError, TypeError, ValueError) as error:
        raise ToolError("bad_signature", f"the signature of {name} cannot be read: {error}") from None
    fields: dict[str, Any] = {}
    contexts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ToolError(
                "bad_signature", f"{name} has the parameter {parameter}, which has no name that a model could give",
                help="give it parameters with a name and a type each",
            )  # fmt: skip
        if parameter.name not in types:
            raise ToolError(
                "bad_signature", f"the parameter {parameter.name} of {name} has no type", help="write its type"
            )
        if types[parameter.name] is ToolContext:
            contexts.append(parameter.name)
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[parameter.name] = (types[parameter.name], default)
    return fields, tuple(contexts)


def _model(name: str, parameters: Mapping[str, Any]) -> type[BaseModel]:
    """A model with a field for each parameter. Fields have names of their own: pydantic keeps some for itself."""
    from pydantic import ConfigDict, Field, PydanticUserError, create_model
    from pydantic.errors import PydanticSchemaGenerationError

    fields: dict[str, Any] = {
        f"p{index}": (typing.Annotated[kind, Field(alias=parameter)], default)
        for index, (parameter, (kind, default)) in enumerate(parameters.items())
    }
    try:
        model: type[BaseModel] = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        model.model_json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        said = str(error).splitlines()[0]
        raise ToolError(
            "bad_signature", f"{name} has a parameter of a type that JSON cannot give: {said}", help="use plain types"
        ) from None
    return model


def _runner(function: Callable[..., Any], name: str, model: type[BaseModel], contexts: tuple[str, ...]) -> Run:
    def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        from pydantic import ValidationError

        try:
            checked = model.model_validate(dict(arguments))
        except ValidationError as error:
            return failed(f"{name}: {_said(error)}", f"the arguments are {', '.join(_names(model)) or 'none'}")
        given = {field.alias or key: getattr(checked, key) for key, field in model.model_fields.items()}
        given |= dict.fromkeys(contexts, context)
        try:
            result = function(**given)
            if inspect.isawaitable(result):
                result = asyncio.run(_awaited(result))
            return _output(result)
        except ToolError as error:
            return failed(error.message, error.help)
        except Exception as error:  # whatever somebody else's function raises is its answer to the model
            return failed(f"{name} failed: {type(error).__name__}: {error}")

    return run


async def _awaited(awaitable: typing.Awaitable[Any]) -> Any:
    return await awaitable


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _said(error: ValidationError) -> str:
    """The first faults: where each is, and what was expected there."""
    faults = [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in error.errors()[:_FAULTS]]
    return "; ".join(f"{where}: {said[:1].lower()}{said[1:]}" for where, said in faults)


def _output(result: Any) -> ToolOutput:
    if isinstance(result, ToolOutput):
        return result
    return ToolOutput(_content(result))


def _content(result: Any) -> Content:
    if isinstance(result, str):
        return result
    if isinstance(result, tuple) and result and all(isinstance(part, Text | Image | Opaque) for part in result):
        return result
    if result is None:
        return "done"
    if hasattr(result, "model_dump_json"):
        return str(result.model_dump_json())
    return json.dumps(result, ensure_ascii=False, default=str)
