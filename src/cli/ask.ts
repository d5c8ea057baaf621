import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Question {
  text: string;
  /** The answer is not shown while it is typed. */
  isSecret: boolean;
}

/** Asks questions on the terminal, one after the other. */
export async function ask(questions: readonly Question[]): Promise<string[]> {
  let isSilent = false;
  const output = new Writable({
    write: (chunk, _encoding, done) => (isSilent ? done() : void process.stderr.write(chunk, done)),
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const answers: string[] = [];
  try {
    for (const { text, isSecret } of questions) {
      process.stderr.write(`${text}: `);
      isSilent = isSecret;
      answers.push((await lines.question('')).trim());
      if (isSecret) process.stderr.write('\n');
    }
  } finally {
    lines.close();
  }
  return answers;
}
