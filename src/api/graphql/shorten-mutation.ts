import { type ExecutionResult, GraphQLError } from 'graphql';
import { isSmall, toJson } from '../http/json-slices.ts';
import { toPublicError } from './errors.ts';
import { tooLarge } from './respond.ts';

/** A payload field up to this size stays in the response of a mutation whose response is too large. */
const smallPart = { characters: 2_000, values: 200 };

/**
 * Shortens the response of a mutation if it is too large. The response cannot be refused, because the mutation was already performed.
 * Objects inside its payloads are removed; the quote bounds the size of the rest.
 */
export async function shortenMutation(result: ExecutionResult, bytesLimit: number): Promise<ExecutionResult> {
  if (isSmall(result) || (await toJson(result, bytesLimit))) return result;
  const errors = [...(result.errors ?? [])];
  const data: Record<string, unknown> = {};
  for (const [key, payload] of Object.entries(result.data ?? {})) {
    data[key] = payload;
    if (typeof payload !== 'object' || payload === null) continue;
    const shortened: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(payload)) {
      const fits = typeof value !== 'object' || isSmall(value, smallPart);
      shortened[name] = fits ? value : null;
      if (!fits) errors.push(toPublicError(tooLarge(bytesLimit), new GraphQLError('', { path: [key, name] })));
    }
    data[key] = shortened;
  }
  return { ...result, data, errors };
}
