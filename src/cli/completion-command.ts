import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';

const scripts = {
  bash: new URL('./completion/postern.bash', import.meta.url),
  zsh: new URL('./completion/postern.zsh', import.meta.url),
  fish: new URL('./completion/postern.fish', import.meta.url),
};

const installation = `
For each shell that starts:
  bash   echo 'eval "$(postern completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(postern completion zsh)"' >> ~/.zshrc
  fish   echo 'postern completion fish | source' >> ~/.config/fish/config.fish
`;

export function completionCommand(): Command {
  return new Command('completion')
    .description('Print a shell script that completes the commands, options, actions and fields of postern')
    .summary('Complete commands in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', installation)
    .action((shell: keyof typeof scripts) => void process.stdout.write(readFileSync(scripts[shell])));
}

/**
 * Makes the command `postern complete -- WORDS`, which the shell scripts run. WORDS is what the user has typed; its last word may be
 * incomplete. Prints the words that fit, one on each line: the word, a tab and a description.
 */
export function completeCommand(): Command {
  return new Command('complete')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_words: unknown, _options: unknown, command: Command) => {
      const { candidatesFor } = await import('./complete.ts');
      const words = process.argv.slice(process.argv.indexOf('--') + 1);
      const candidates = await candidatesFor(command.parent as Command, words);
      const lines = candidates.map(({ name, about }) => (about === '' ? name : `${name}\t${about}`));
      if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    });
}
