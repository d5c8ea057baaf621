import { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { alternativesRules, effectSentence, listed } from '../../../actions/action-text.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import { inputName, outputName, withGraphqlNames } from '../names.ts';

/** Returns the description of a field that runs an action. `known` are the subfields that need no call. */
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

/** Returns the description of a mutation, made from the action's own sentences. */
export function describeMutation(action: Action): string {
  const sentences = [`${action.summary}.`, action.description, effectSentence(action)];
  return withGraphqlNames(describeCall(action, { about: sentences.filter((text) => text !== '').join(' ') }), {
    ...namesOf(action.output, outputName),
    ...namesOf(action.input, inputName),
  });
}

/** The description of the input type of a mutation. `files` are the names of files by the field that they replace. */
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
