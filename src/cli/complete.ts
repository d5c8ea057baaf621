import type { Command, Option } from 'commander';
import { readDemo } from './access.ts';
import { webhookCommands } from './webhook-command.ts';

interface Candidate {
  name: string;
  about: string;
}

/** Returns the words that can stand in the place of the last word. */
export async function candidatesFor(program: Command, words: readonly string[]): Promise<Candidate[]> {
  const current = words.at(-1) ?? '';
  const { command, operands, pending } = positionAfter(program, words.slice(0, -1));
  const all = pending ? valuesOf(pending) : await wordsAt(command, operands, current);
  // Names come from files too, and a shell would insert them without quotes.
  return all.filter(({ name }) => name.startsWith(current) && /^[\w@%+=:,./-]+$/.test(name));
}

/** Follows the words before the last one. `pending` is the option whose value the last word is. */
function positionAfter(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | null = null;
  const operands: string[] = [];
  for (const word of words) {
    const inner = command.commands.find((each) => each.name() === word);
    if (pending) pending = null;
    else if (word.startsWith('-'))
      pending =
        command.options.find(({ short, long, required }) => required && (word === short || word === long)) ?? null;
    else if (inner && operands.length === 0) command = inner;
    else operands.push(word);
  }
  return { command, operands, pending };
}

function valuesOf({ long, argChoices }: Option): Candidate[] {
  if (argChoices) return plain(argChoices);
  return ['--as', '--to', '--from'].includes(long ?? '')
    ? plain(readDemo().accounts.map(({ userName }) => userName))
    : [];
}

async function wordsAt(command: Command, operands: readonly string[], current: string): Promise<Candidate[]> {
  const help = command.createHelp();
  if (current.startsWith('-')) {
    const options = help.visibleOptions(command);
    return options.map(({ long, description }) => ({ name: long ?? '', about: description }));
  }
  if (command.commands.length > 0) {
    const commands = help.visibleCommands(command);
    return commands.map((each) => ({ name: each.name(), about: help.subcommandDescription(each) }));
  }
  const choices = command.registeredArguments[operands.length]?.argChoices;
  if (choices) return plain(choices);
  const parent = command.parent?.name();
  if (command.name() === 'call') {
    return operands.length === 0 ? actionNames() : fieldWords(operands[0] ?? '', operands, current);
  }
  const { action, args = [], hasFields } = (parent === 'webhook' && webhookCommands[command.name()]) || {};
  return action && hasFields && operands.length >= args.length
    ? fieldWords(action, [...args, ...operands], current)
    : [];
}

async function actionNames(): Promise<Candidate[]> {
  const { actions } = await import('../actions/registry.ts');
  return actions.map(({ name, summary }) => ({ name, about: summary }));
}

/** Returns the fields that are not given yet, or the values of the field that is being typed. */
async function fieldWords(name: string, given: readonly string[], current: string): Promise<Candidate[]> {
  const [{ actions }, { fieldsOf }] = await Promise.all([import('../actions/registry.ts'), import('./call/fields.ts')]);
  const action = actions.find((each) => each.name === name);
  const fields = action ? fieldsOf(action) : [];
  if (current.includes('=')) {
    const field = fields.find((each) => current.startsWith(`${each.name}=`));
    const values = field?.type === 'boolean' ? ['true', 'false'] : (field?.values ?? []);
    const before = current.slice(0, Math.max(current.indexOf('='), current.lastIndexOf(',')) + 1);
    return plain(values.map((value) => before + value));
  }
  const names = given.map((word) => word.split(/[=@]/)[0]);
  const missing = fields.filter((field) => field.type === 'list' || !names.includes(field.name));
  return missing.map((field) => ({ name: `${field.name}=`, about: field.description.replaceAll('`', '') }));
}

function plain(names: readonly string[]): Candidate[] {
  return names.map((name) => ({ name, about: '' }));
}
