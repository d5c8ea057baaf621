import { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { alternativesRules, deprecationText, effectSentence, listed } from '../../../actions/action-text.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import { inputName, outputName, withGraphqlNames } from './names.ts';

/** Returns the description of a field that runs an action. `known` lists the subfields that need no call. */
export function describeCall(
  action: Action,
  {
    about = `${action.summary}.`,
    known = [],
  }: { about?: string | undefined; known?: readonly string[] | undefined } = {},
): string {
  const exception = known.length > 0 ? `, unless only ${listed(known, 'and')} are selected` : '';
  const sentences = [
    about,
    action.price === 0 ? 'Free.' : `Costs ${formatDollars(action.price)} dollars${exception}.`,
    action.actor ? '' : 'Needs no actor.',
    action.code === 'required' ? 'Needs `x-encryption-code`.' : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** Returns the `@deprecated` directive of a field that runs a deprecated action. */
export function deprecationOf(action: Action): { deprecationReason?: string } {
  return action.deprecated ? { deprecationReason: deprecationText(action) } : {};
}

/** Returns the description of a mutation. It consists of the action's summary and description. */
export function describeMutation(action: Action): string {
  const sentences = [`${action.summary}.`, action.description, effectSentence(action)];
  return withGraphqlNames(describeCall(action, { about: sentences.filter((text) => text !== '').join(' ') }), {
    ...namesOf(action.output, outputName),
    ...namesOf(action.input, inputName),
  });
}

/** Returns the description of a mutation's input type. `files` maps base64 fields to the file fields that can replace them. */
export function describeInput(action: Action, field: string, files: Readonly<Record<string, string>> = {}): string {
  const sentences = [
    `The parameters of \`${field}\`.`,
    ...alternativesRules(action),
    ...Object.entries(files).map(([name, file]) => `\`${file}\` counts as \`${name}\`.`),
  ];
  return withGraphqlNames(sentences.join(' '), namesOf(action.input, inputName));
}

function namesOf(schema: z.ZodType, nameOf: (field: string) => string): Record<string, string> {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return Object.fromEntries(fields.map((field) => [field, nameOf(field)]));
}
