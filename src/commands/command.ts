import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';

/** One option of a command: `--name <value>`, or a switch when it has no `value`. */
export interface OptionSpec {
  value?: string;
  help: string;
  required?: boolean;
}

/** What a command answers: for people, and for programs (`--json`). */
export interface Answer {
  text: string;
  json: unknown;
}

export interface CommandInput {
  config: Config;
  /** Positional arguments by name. */
  args: Record<string, string>;
  /** Values of the options that were given; a switch that was given is 'true'. */
  options: Record<string, string>;
  json: boolean;
  /** Tells the person waiting what goes on (on standard error). */
  progress: (message: string) => void;
}

export interface Command {
  /** The words that call it, e.g. `deal move`. */
  name: string;
  summary: string;
  /** Names of the positional arguments, all required. */
  args?: readonly string[];
  /** Names of positional arguments that may follow; one that was left out is ''. */
  optionalArgs?: readonly string[];
  options?: Readonly<Record<string, OptionSpec>>;
  /** Answers once, or nothing when the command has spoken for itself (`start`). */
  run(input: CommandInput): Promise<Answer | undefined>;
}

/** A mistake in how a command was called: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How a command is called, in one line. */
export function usageLine(command: Command): string {
  const args = (command.args ?? []).map((name) => `<${name}>`);
  const optional = (command.optionalArgs ?? []).map((name) => `[<${name}>]`);
  const options = Object.entries(command.options ?? {}).map(([name, option]) => {
    const text = option.value ? `--${name} <${option.value}>` : `--${name}`;
    return option.required ? text : `[${text}]`;
  });
  return [command.name, ...args, ...optional, ...options].join(' ');
}

/** Reads the arguments after the command's name; a mistake is a UsageError that names it. */
export function parseCommandLine(
  command: Command,
  argv: string[],
): { args: Record<string, string>; options: Record<string, string>; json: boolean; help: boolean } {
  const specs = command.options ?? {};
  const { values, positionals, tokens } = parse(command, argv);
  refuseRepeated(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])));
  const { json = false, help = false, ...given } = values as Record<string, string | boolean>;
  const required = command.args ?? [];
  const names = [...required, ...(command.optionalArgs ?? [])];
  if (!help) {
    if (positionals.length > names.length) {
      throw new UsageError(`unexpected argument "${positionals[names.length]}"`);
    }
    const missing = required[positionals.length];
    if (missing) throw new UsageError(`<${missing}> is missing`);
    const unset = Object.keys(specs).find((name) => specs[name]?.required && !(name in given));
    if (unset) throw new UsageError(`--${unset} is missing`);
  }
  return {
    args: Object.fromEntries(names.map((name, i) => [name, positionals[i] ?? ''])),
    options: Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, String(value)]),
    ),
    json: json === true,
    help: help === true,
  };
}

function refuseRepeated(names: string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new UsageError(`--${twice} is given twice`);
}

function parse(command: Command, argv: string[]) {
  const own = Object.entries(command.options ?? {}).map(
    ([name, { value }]) => [name, { type: value ? 'string' : 'boolean' } as const] as const,
  );
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      tokens: true,
      options: {
        ...Object.fromEntries(own),
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}
