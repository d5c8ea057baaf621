"""What Schemathesis must know of Postern that its description cannot say."""

import itertools
import os
import re

import schemathesis
from schemathesis.generation.meta import TestPhase

_keys = (f"schemathesis-{number}" for number in itertools.count())


@schemathesis.hook
def before_call(context, case, kwargs):
    # A key that another request had is 422, and the shortest key is made up most often. test/rest has what a second use gets.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!-~]([ -~]{0,253}[!-~])?", key):
        case.headers["Idempotency-Key"] = next(_keys)
    # A link to a field that is null, as a draft's tweet_id, would leave a required parameter out of a call that counts as valid.
    for name, value in (case.query or {}).items():
        if value is None and case.meta and case.meta.phase.name == TestPhase.STATEFUL:
            case.query[name] = "1"


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for path in raw_schema["paths"].values():
        for operation in path.values():
            parameters = [_narrowed(parameter) for parameter in operation.get("parameters", [])]
            operation["parameters"] = [parameter for parameter in parameters if parameter is not None]
            names = {parameter.get("name"): parameter for parameter in operation["parameters"]}
            for group in operation.get("x-alternatives", []):
                if group["minimum"] > 0 and group["fields"][0] in names:
                    names[group["fields"][0]]["required"] = True
            content = operation.get("requestBody", {}).get("content", {})
            for media_type in content.values():
                properties = media_type["schema"]["properties"]
                # For the reasons at _narrowed.
                for field in ("proxy", "cursor"):
                    if field in properties:
                        properties[field] = False
                # Made-up addresses are refused by the guard. Nobody answers at this one: the webhook is there, and not valid.
                if "url" in properties:
                    properties["url"]["const"] = "http://localhost:1/hook"
                # Nor is there anything to fetch at one, and made-up bytes are no picture. test/media has real ones.
                for field in (
                    *("media_url", "media_urls", "media_ids"),
                    *("image_url", "cover_image_url", "cover_image_base64", "cover_media_id"),
                ):
                    if field in properties:
                        properties[field] = False
                if "image_base64" in properties:
                    properties["image_base64"]["const"] = media_type["example"]["image_base64"]
                    media_type["schema"]["required"] = ["conversation_id", "image_base64"]
                    # The bytes say what it is; test/direct-messages/media.test.ts has the other types.
                    properties["type"]["const"] = 1
                if "media_data" in properties:
                    properties["media_data"]["const"] = media_type["example"]["media_data"]
                    properties["media_type"]["const"] = media_type["example"]["media_type"]
                    media_type["schema"]["required"] = ["media_data", "media_type"]
                # OpenAPI cannot say that a tweet without media needs a text.
                if "media_ids" in properties:
                    media_type["schema"]["required"] = ["text"]
                    properties["text"]["minLength"] = 1
                if "auth_token" in properties:
                    properties["auth_token"]["const"] = os.environ["POSTERN_ACTOR"]
                # A host that is not the platform's is 400; test/rest has all forms of an address.
                if "quote_tweet_url" in properties:
                    properties["quote_tweet_url"]["const"] = properties["quote_tweet_url"]["examples"][0]
                # Which texts are an emoji no pattern of JSON Schema can say.
                if "emoji" in properties:
                    properties["emoji"]["const"] = media_type["example"]["emoji"]
                # It must be equal to the header, which is always sent.
                if "encryption_code" in properties:
                    properties["encryption_code"]["const"] = os.environ["POSTERN_CODE"]
                _state_rules(media_type["schema"], operation.get("x-alternatives", []))


def _state_rules(schema, alternatives):
    """What the document says in words, because code generators do not understand it in a schema."""
    properties, required = schema["properties"], schema.get("required", [])
    # Null counts as left out. Generated clients would get a type for it that nobody needs.
    nullable = set()
    for name, field in properties.items():
        if field is False:
            nullable.add(name)
            properties[name] = {"type": "null"}
        elif name not in required and isinstance(field, dict) and isinstance(field.get("type"), str):
            nullable.add(name)
            field["type"] = [field["type"], "null"]
            if "const" in field:
                field["enum"] = [field.pop("const"), None]
            elif "enum" in field:
                field["enum"] = [*field["enum"], None]

    def given(name):
        return {"required": [name], **({"properties": {name: {"not": {"type": "null"}}}} if name in nullable else {})}

    rules = []
    for group in alternatives:
        if group["minimum"] > 0:
            rules.append({"anyOf": [given(field) for field in group["fields"]]})
        if group["maximum"] == 1:
            rules.extend({"not": {"allOf": [given(a), given(b)]}} for a, b in itertools.combinations(group["fields"], 2))
    if rules:
        schema["allOf"] = rules


def _narrowed(parameter):
    # A made-up proxy cannot be reached, and a call through it ends in 400 or 502. test/proxy has real ones.
    if parameter.get("name") == "proxy" or parameter.get("$ref", "").endswith("/proxyHeader"):
        return None
    # A cursor of the right form that the service did not give is 400. test/rest/cursors.test.ts forges them.
    if parameter.get("name") in ("cursor", "cursor_id", "graph_snapshot_id"):
        return None
    if parameter.get("name") == "encryption_code":
        parameter["schema"]["const"] = os.environ["POSTERN_CODE"]
    # It must be equal to the header, which is always sent.
    if parameter.get("name") == "auth_token":
        parameter["schema"]["const"] = os.environ["POSTERN_ACTOR"]
    return parameter
