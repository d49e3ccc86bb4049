import { usageLine, type Command } from './command.ts';

/** What `help` prints: every command with what it does. */
export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'lead-events <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  <command> --help shows its options; --json answers with one JSON value.',
    '',
  ].join('\n');
}

/** How one command is called, with its options. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options ?? {});
  const heads = options.map(([name, { value }]) => (value ? `--${name} <${value}>` : `--${name}`));
  const width = Math.max(0, ...heads.map((head) => head.length));
  return [
    `lead-events ${usageLine(command)}`,
    '',
    `  ${command.summary}`,
    ...(options.length > 0 ? [''] : []),
    ...options.map(
      ([, { help, required }], i) =>
        `  ${(heads[i] ?? '').padEnd(width)}  ${help}${required ? ' (required)' : ''}`,
    ),
    '',
  ].join('\n');
}
