import { z } from 'zod';
import type { Action } from '../actions/action.ts';
import { alternativesSentence } from '../actions/action-text.ts';
import { endpointOf } from '../actions/endpoint.ts';
import { type Alternatives, alternativesOf } from '../actions/input/input.ts';
import { actions } from '../actions/registry.ts';
import { formatDollars } from '../shared/model/money.ts';

/** The policies, from the strictest. Each allows the tools of the policies before it. */
export const policies = ['read', 'write', 'destructive'] as const;

export type Policy = (typeof policies)[number];

/** A tool of the Model Context Protocol, as `tools/list` returns it. */
interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  _meta: Record<string, unknown>;
}

export interface Tool {
  readonly action: Action;
  /** The first policy that allows the tool. */
  readonly policy: Policy;
  /** The names of all arguments. */
  readonly fields: readonly string[];
  /** True if the tool accepts `idempotency_key`. */
  readonly takesKey: boolean;
  /** True if results of the tool may contain text that strangers wrote. */
  readonly returnsForeignText: boolean;
  readonly definition: ToolDefinition;
}

/** Arguments of tools that are not in the input of their action. */
const extraFields = {
  full: {
    type: 'boolean',
    description: 'True for all fields and longer texts.',
  },
  idempotency_key: {
    type: 'string',
    maxLength: 255,
    description:
      'Leave it out for a new call. To repeat a call that ended with an unknown outcome, send the idempotency_key of its error: ' +
      'the call is then not performed twice.',
  },
};

/** The tools of all actions that agents may call, in the order of the documents. */
export const tools: readonly Tool[] = actions.filter((action) => !action.handlesCredentials).map(toolOf);

export function isPolicy(text: string): text is Policy {
  return (policies as readonly string[]).includes(text);
}

/** Returns true if `policy` allows a tool. */
export function allows(policy: Policy, tool: Tool): boolean {
  return policies.indexOf(tool.policy) <= policies.indexOf(policy);
}

function toolOf(action: Action): Tool {
  const { effect, destructive, method, name, price } = action;
  const isRead = effect === 'read';
  const policy = isRead ? 'read' : destructive ? 'destructive' : 'write';
  const takesKey = effect === 'once' && method === 'POST';
  const inputSchema = inputSchemaOf(action, {
    ...(isRead && { full: extraFields.full }),
    ...(takesKey && { idempotency_key: extraFields.idempotency_key }),
  });
  const definition: ToolDefinition = {
    name: name.replaceAll(/[/-]/g, '_'),
    title: action.summary,
    description: descriptionOf(action),
    inputSchema,
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: destructive,
      idempotentHint: effect !== 'once',
      openWorldHint: action.actor,
    },
    _meta: {
      'postern/action': name,
      'postern/policy': policy,
      'postern/effect': effect,
      'postern/price': formatDollars(price),
    },
  };
  return {
    action,
    policy,
    fields: Object.keys(inputSchema.properties),
    takesKey,
    returnsForeignText: !/^(account|capabilities|connections\/(create|reconnect|delete))\b/.test(name),
    definition,
  };
}

function descriptionOf(action: Action): string {
  const { summary, description, effect, price } = action;
  const sentences = [
    `${summary}.`,
    description,
    ...offeredAlternatives(action)
      .filter(({ fields }) => fields.length > 1)
      .map(alternativesSentence),
    effect === 'once' ? 'A repeated call is performed again.' : '',
    price === 0 ? 'Free.' : `Costs ${formatDollars(price)} dollars if it succeeds.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** Returns the fields that a tool leaves out: files, because a model names a file by its address, and credentials. */
function leftOut(action: Action): readonly string[] {
  return [...(endpointOf(action).bytes ?? []), ...action.secretFields];
}

/** Returns the rules about several fields, without the fields that are left out. */
function offeredAlternatives(action: Action): Alternatives[] {
  const omitted = leftOut(action);
  return alternativesOf(action.input).map((group) => ({
    ...group,
    fields: group.fields.filter((field) => !omitted.includes(field)),
  }));
}

function inputSchemaOf(action: Action, extra: Record<string, unknown>) {
  const converted = z.toJSONSchema(action.input, { io: 'input', unrepresentable: 'any', override: tidy });
  const { properties = {}, required = [] } = converted;
  const omitted = leftOut(action);
  const offered = Object.entries(properties).filter(([name]) => !omitted.includes(name));
  const only = offeredAlternatives(action).flatMap(({ fields, atLeast }) =>
    atLeast > 0 && fields.length === 1 ? fields : [],
  );
  return {
    type: 'object' as const,
    properties: { ...Object.fromEntries(offered), ...extra },
    required: [...required, ...only],
    additionalProperties: false,
  };
}

/** Removes keywords that cost a model tokens and tell it nothing. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  delete jsonSchema.pattern;
  delete jsonSchema.minLength;
  delete jsonSchema.examples;
  delete jsonSchema.id;
}
