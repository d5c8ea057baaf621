import type { Action } from '../../src/actions/action.ts';
import { tagsOf } from '../../src/actions/action-text.ts';
import { deliveriesTag, openApiWebhooks } from './events.ts';
import { operationOf, type Performed } from './operation.ts';
import { refusalComponents } from './refusals.ts';
import { SchemaBook } from './schemas.ts';
import type { JsonObject } from './shared.ts';
import { headers, parameters, schemas, securitySchemes } from './shared.ts';

const about = `
A gateway to a social platform, for programs.

- **Who pays**: the account of the API key, which every call sends as \`Authorization: Bearer <API_KEY>\`.
- **Who acts**: the platform account of \`auth_token\`. It is in the query of a \`GET\`, in the body of other methods, or in the header \`x-auth-token\`.
- **Direct messages** are opened with \`encryption_code\`, in the same places, or in the header \`x-encryption-code\`.
- **Every response** is an Envelope: \`{ "status": true, "data": …, "error": null }\`, or
  \`{ "status": false, "data": null, "error": "…" }\` with a message that names the field or the cause.
- **Errors** have a stable code in the header \`x-error-code\`; [/docs/errors](/docs/errors) explains each code.
- **Money** is a decimal string. A call is charged only if it succeeds.
- **Pages** hold \`count\` items. A cursor works for the same list, parameters and \`auth_token\` only.
- An unknown path returns 404. A method that a path does not support returns 405 with \`Allow\`. Both responses are an Envelope.
`.trim();

/**
 * Returns the OpenAPI document of the actions. `performed` contains a real request and response of each action, which become the examples.
 */
export function openApiDocument(actions: readonly Action[], performed: ReadonlyMap<string, Performed>): JsonObject {
  const book = new SchemaBook();
  const paths: Record<string, JsonObject> = {};
  for (const action of actions) {
    const example = performed.get(action.name);
    if (!example) throw new Error(`${action.name} was not performed, so there is nothing to show`);
    paths[action.path] = {
      ...paths[action.path],
      [action.method.toLowerCase()]: operationOf(action, actions, book, example),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: '1.0.0',
      summary: 'An HTTP/JSON gateway to a social platform',
      description: about,
      contact: { name: 'The maintainers of Postern' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4000/v1', description: 'A service on this machine with its default settings.' }],
    security: [{ apiKey: [] }],
    tags: [...tagsOf(actions), deliveriesTag],
    paths,
    webhooks: openApiWebhooks(book),
    components: {
      securitySchemes,
      parameters,
      headers,
      responses: refusalComponents(),
      schemas: { ...book.components(), ...schemas },
    },
  };
}
